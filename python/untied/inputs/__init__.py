"""Read runs and qrels from files, frames, dicts and lists."""

from untied._lazy import imported_when_used
from untied.inputs.files import read_qrels, read_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untied.inputs import truth as truth
else:
    __getattr__ = imported_when_used(__name__, ("truth",))

__all__ = ["read_qrels", "read_run"]

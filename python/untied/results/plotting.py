"""The common style of all pictures and pages: colours, lines and sizes; equal numbers give equal files."""

from __future__ import annotations

from untied.errors import UntiedError, check_one_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Okabe & Ito's colours, which colour-blind readers can tell apart; lines differ too, for print in black.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
#: The same, light enough for a dark page.
ON_DARK = ("#4FA3E3", "#F08A5D", "#2FBF92", "#D993BC", "#8FD0F5", "#F0B73F", "#E5E9F0")
DASHES = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1.5, 1, 1.5)), (0, (3, 1)))

#: Places of colours with a meaning: the first and the second of two runs; from the worst to the best order of tied
#: documents; the order by document id. The mean over all orders has the colour of text.
FIRST, SECOND, TIE_RANGE, BY_DOCID = 0, 1, 4, 1

# Dots an inch; where the rest is lines, of what is drawn as a picture within.
DOTS = {"png": 300, "pdf": 300, "svg": 120}
# Without a date equal curves give equal files.
_UNDATED: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
_STYLE: Any = {
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "legend.fontsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.linewidth": 1.2,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "pdf.fonttype": 42,
    "text.parse_math": False,  # names of runs may have dollars
    "svg.hashsalt": "untied",
}


def need_matplotlib() -> None:
    """Raise an error if matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise UntiedError("plots need matplotlib: pip install matplotlib") from None


def picture(draw: Callable[[Any], object], size: tuple[float, float], style: str) -> bytes:
    """What a function draws into a figure of this width and height in inches, as an SVG, PNG or PDF file.

    matplotlib is needed.
    """
    check_one_of("style", style, tuple(DOTS))
    need_matplotlib()
    import io

    import matplotlib
    from matplotlib.backend_bases import get_registered_canvas_class
    from matplotlib.figure import Figure

    buffer = io.BytesIO()
    # What the user's own settings say must not change a byte.
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        figure = Figure(figsize=size, dpi=DOTS[style], layout="constrained")
        draw(figure)
        # Not `savefig`, which draws what has a layout twice: the layout is made where the file is drawn, too.
        canvas = get_registered_canvas_class(style)(figure)
        getattr(canvas, f"print_{style}")(buffer, metadata=_UNDATED.get(style))
    return buffer.getvalue()

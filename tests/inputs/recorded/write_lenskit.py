"""Writes lenskit-VERSION-run.parquet and lenskit-VERSION-test.parquet, run with LensKit: python write_lenskit.py.

They have recommendations and test items of users, in LensKit's native layout. Nothing is recommended to user 3.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from lenskit.data import ItemList, ItemListCollection, UserIDKey

RECOMMENDED = {1: ([7, 3, 9], [0.75, 0.75, 0.25]), 2: ([4, 8], [0.5, 0.25]), 3: ([], [])}
TEST = {1: ([7, 9], [4.0, 5.0]), 2: ([8], [3.0]), 3: ([5], [4.0])}


def write(what: str, lists: ItemListCollection) -> None:
    lists.save_parquet(Path(__file__).with_name(f"lenskit-{version('lenskit')}-{what}.parquet"))


write(
    "run",
    ItemListCollection.from_dict(
        {user: ItemList(items, scores=scores, ordered=True) for user, (items, scores) in RECOMMENDED.items()}, UserIDKey
    ),
)
write(
    "test",
    ItemListCollection.from_dict(
        {user: ItemList(items, rating=ratings) for user, (items, ratings) in TEST.items()}, UserIDKey
    ),
)

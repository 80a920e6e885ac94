# SPDX-License-Identifier: BSD-3-Clause
"""All tables and figures of the paper and of chapters 5 and 6 of the thesis: who measures them, or why nobody does."""
from tables.arrangements import ARRANGEMENTS
from tables.batches import BATCH_ITEMS, BY_RANKS_ITEM
from tables.hops import HOPS
from tables.mapping_time import MAPPING_TIME
from tables.primitives import PRIMITIVES
from tables.profiles import BROADCAST, HEATMAP_ITEM
from tables.run_times import RUN_TIMES
from tables.sensitivity import CABLE_ITEM, COLLECTIVE_ITEM, CRITERION_ITEM, FACTOR_ITEM, INPUT_ITEM

# In the order of the page.
ITEMS = [BROADCAST, HEATMAP_ITEM, HOPS, RUN_TIMES, PRIMITIVES, ARRANGEMENTS, COLLECTIVE_ITEM, CRITERION_ITEM, INPUT_ITEM,
         CABLE_ITEM, *BATCH_ITEMS, BY_RANKS_ITEM, FACTOR_ITEM, MAPPING_TIME]

# Everything that the publications number; names without "paper" are the thesis's.
PUBLISHED = [
    "paper-figure-1", "paper-figure-2", "paper-figure-3", "paper-figure-4", "paper-figure-5a", "paper-figure-5b", "paper-table-1",
    "equation-1", "figure-5.1", "figure-5.2", "figure-5.3", "table-5.1", "table-5.2", "table-5.3",
    *(f"figure-6.{n}" for n in range(1, 18)), *(f"table-6.{n}" for n in range(1, 9)), "section-6.3.6",
]
NOT_MEASURED = {
    "paper-figure-2": "a drawing of the parts; docs/design.md has ours",
    "figure-5.1": "the same drawing",
    "figure-6.1": "drawings of tori; `tofa picture` makes them",
}


def find(names):
    """Items by their own names or by what they cover; all when none is named."""
    unknown = [name for name in names if not any(name == item.name or name in item.covers for item in ITEMS)]
    if unknown:
        known = sorted({name for item in ITEMS for name in (item.name, *item.covers)})
        raise LookupError(f"nothing is known of {', '.join(unknown)}; known are {', '.join(known)}")
    return [item for item in ITEMS if not names or item.name in names or set(names) & set(item.covers)]

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a short limit leaves where nobody has tuned for it: traffic, machines and free nodes drawn at random, by the clock.

    drawn.py [--quick] [--draws N] [--first K] [--seeds N] [--only TEXT] [--objective NAME] [--search SECONDS] [--folder FOLDER]
             [PROGRAM]

Draw number K is the same on every machine, and --first says which is the first of so many. Runs `tofa map --time-limit 0.1` and
`1` with the objective hop-bytes or the one that is named, and shows the ten draws where what they leave over the least seen in
any run is the most, and how many are within what is asked for. The least is nearly always that of a thorough search, which takes
so many SECONDS; with 0 there is none. Costs are medians over seeds. All draws go to drawn.tsv in the --folder, the tables to
drawn.md; of another objective to drawn-NAME.tsv and drawn-NAME.md.
"""
import pathlib
import random
import statistics
import sys
import tempfile

import cases
import drawn_families
import families
import limits
import suites

TRAFFIC = {**families.FAMILIES, **drawn_families.FAMILIES}
MACHINES = (
    "torus8x8x8", "torus9x9x9", "torus7x9x11", "torus12x8x6", "torus16x8x8", "torus10x10", "torus24x24", "torus20x30", "torus4x100",
    "torus512", "torus5x5x5x5", "torus3x3x3x3x3", "torus2x2x4x2x4x4", "dragonfly11x6x3", "dragonfly6x12x4", "fat8x6x10", "fat20x24",
    "fat12x12x4", "3:5:7/1:4:9", "4:4:4:4/1:2:6:20", "16:12/1:5", "2:12:16/1:3:40",
)
SLOTS = (1, 1, 1, 2, 3, 4, 8, 16, 24, 40, 64)
ALLOCATIONS = ("on all nodes", "on scattered nodes", "on the first nodes", "with seats left over")
FEWEST, MOST = 200, 8192  # ranks
LONGEST = 4  # columns for each row of a process grid; in a longer one transposes are nearly all with all
NEXT_TO_NOTHING = 1e-3  # hops per byte, or of a rank's share; the least may be none at all, where partners share nodes
REFERENCE = "least seen"


def nodes_of(allocation, nodes, source):
    if allocation not in ("on scattered nodes", "on the first nodes"):
        return range(nodes)
    few = int(nodes * source.uniform(0.2, 0.8))
    return sorted(source.sample(range(nodes), few)) if allocation == "on scattered nodes" else range(few)


def ranks_of(allocation, seats, slots, source):
    """Mostly as many as there are seats; else up to three nodes are spare."""
    if allocation == "with seats left over":
        return int(seats * source.uniform(0.5, 0.95))
    return seats - (source.randint(0, 3 * slots) if source.random() < 0.3 else 0)


def families_for(ranks):
    columns, rows = families.box_of(ranks, 2)
    return [name for name in TRAFFIC if name != "pencils" or columns <= LONGEST * rows]


class Draw:
    """The case with a number. Its files are there once they have been written."""

    def __init__(self, number):
        self.number = number
        self.ranks = 0
        source = random.Random(f"draw {number}")
        while not FEWEST <= self.ranks <= MOST:
            self.machine = source.choice(MACHINES)
            self.slots = source.choice(SLOTS)
            allocation = source.choice(ALLOCATIONS)
            nodes = families.machine(self.machine)[1]
            self.nodes = nodes_of(allocation, nodes, source)
            self.ranks = ranks_of(allocation, len(self.nodes) * self.slots, self.slots, source)
        self.family = source.choice(families_for(self.ranks))
        self.in_order = source.random() < 0.25
        ranks = f"{self.ranks} ranks{' in order' if self.in_order else ''}"
        self.title = suites.title(f"{number}: {self.family}, {ranks} {allocation}", self.machine, self.slots)

    def pairs(self):
        pairs = TRAFFIC[self.family](self.ranks, random.Random(f"traffic {self.number}"))
        return pairs if self.in_order else cases.shuffled(pairs, self.ranks, self.number)

    def write(self, folder):
        self.topology = families.write_machine(self.machine, folder)[0]
        self.hosts = [f"n[{','.join(map(str, self.nodes))}]"]
        self.graph = pathlib.Path(folder) / "draw.bytes.mtx"
        cases.write_graph(self.pairs(), self.ranks, self.graph)


def measure_draw(program, draw, seeds, search, objective):
    """A row for each limit, over the least that was seen."""
    nothing = NEXT_TO_NOTHING if objective == limits.HOP_BYTES else NEXT_TO_NOTHING / draw.ranks
    with tempfile.TemporaryDirectory() as folder:
        draw.write(folder)
        rows, least = limits.measure_case(program, draw, seeds, search, objective)
    for row in rows:
        row["over"] = max(row["cost"], nothing) / max(least, nothing)
    print(draw.title, *(f"{row['cost']:.4g} ({row['over']:.3f}) |" for row in rows), f"{least:.4g}", flush=True)
    return rows


def medians(rows):
    over = {limit: statistics.median(row["over"] for row in rows if row["limit"] == limit) for limit in limits.LIMITS}
    return "Medians: " + ", ".join(f"{ratio:.3f} at {limit:g} s" for limit, ratio in over.items()) + ".\n"


def main():
    parser = limits.parser_of(__doc__, seeds=1, search=6)
    parser.add_argument("--draws", type=int)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--objective", default=limits.HOP_BYTES)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    count = options.draws or (12 if options.quick else 100)
    draws = [draw for draw in map(Draw, range(options.first, options.first + count)) if options.only in draw.title]
    if not draws:
        sys.exit(f'no draw of these has "{options.only}" in its title')
    rows = [row for draw in draws for row in measure_draw(options.program, draw, options.seeds, options.search, options.objective)]
    by_hops = options.objective == limits.HOP_BYTES
    name, cost = ("drawn", limits.HOPS) if by_hops else (f"drawn-{options.objective}", "cost per byte")
    limits.write_rows(rows, options.folder / f"{name}.tsv", REFERENCE, cost)
    limits.show(limits.tables(rows, REFERENCE, cost) + "\n" + medians(rows), options.folder / f"{name}.md")


if __name__ == "__main__":
    main()

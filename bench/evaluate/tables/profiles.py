# SPDX-License-Identifier: BSD-3-Clause
"""Who sends to whom: thesis Tables 5.1 to 5.3, and the heat maps."""
import cells as measured
from item import Item, Shown, Table

# Partners of each phase, from Table 5.1; in Tables 5.2 and 5.3 each of these pairs has one message of 4 bytes.
PUBLISHED_PAIRS = {(0, 4), (0, 2), (4, 6), (0, 1), (2, 3), (4, 5), (6, 7)}
AMOUNTS = {"bytes": 4, "messages": 1}
HEATMAPS = {"lammps-128": "LAMMPS, 128", "dt-85": "NPB DT C, 85", "cg-256-D": "NPB CG D, 256", "hpl-128": "HPL, 128"}


def matrix(criterion):
    return measured.cell("matrix", program="broadcast-8", criterion=criterion)


def broadcast_cells(_form):
    return [matrix(criterion) for criterion in AMOUNTS]


def show_broadcast(_form, result):
    tables, wrong = [], []
    for criterion, amount in AMOUNTS.items():
        found = result(matrix(criterion))
        if found is None:
            continue
        entries = {(row, column): value for row, column, value in found["entries"]}
        expected = {pair: amount for a, b in PUBLISHED_PAIRS for pair in ((a, b), (b, a))}
        if entries != expected:
            wrong.append(f"a broadcast's {criterion} are not those of the thesis")
        ranks = range(found["ranks"])
        tables.append(Table([criterion, *map(str, ranks)], [[str(a), *(str(entries.get((a, b), 0)) for b in ranks)] for a in ranks]))
    return Shown(tables, [], wrong)


BROADCAST = Item(
    name="broadcast",
    title="A broadcast as it is counted",
    covers=("table-5.1", "table-5.2", "table-5.3"),
    published="A broadcast of 4 bytes to 8 ranks by a binomial tree: pairs (0, 4); (0, 2), (4, 6); (0, 1), (2, 3), (4, 5), (6, "
    "7).",
    method="A traced broadcast; both directions are added up, as in the thesis. A run in which an entry differs fails.",
    why="They do not differ.",
    cells=broadcast_cells,
    show=show_broadcast,
)


def heatmap(program):
    return measured.cell("heatmap", program=program)


def show_heatmaps(_form, result):
    found = {name: result(heatmap(program)) for program, name in HEATMAPS.items()}
    return Shown([], [(name, one["svg"]) for name, one in found.items() if one])


HEATMAP_ITEM = Item(
    name="heatmaps",
    title="Heat maps",
    covers=("paper-figure-1", "figure-5.2", "figure-6.2", "figure-6.3", "figure-6.4", "figure-6.5"),
    published="LAMMPS and HPL talk along the diagonal; DT has nothing there; CG has both.",
    method="`tofa heatmap` of the programs' traffic; the pictures are on the HTML page.",
    why="Ours show less of LAMMPS near the diagonal, since the transposes of its FFT go far.",
    cells=lambda _form: [heatmap(program) for program in HEATMAPS],
    show=show_heatmaps,
)

# SPDX-License-Identifier: BSD-3-Clause
"""How long mapping takes: thesis Figure 5.3."""
import cells as measured
import charts
from item import Item, Shown, Table, number

SIZES = (512, 1024, 2048, 4096, 8192, 16384)
PUBLISHED = {512: 0.08, 16384: 88}
WAYS = {"scotch, complete": "SCOTCH onto a complete graph of 512 nodes", "scotch": "SCOTCH onto its own torus",
        "published": "TOFA as published", "tofa": "tofa"}
MOST = {"scotch, complete": 512, "published": 2048}


def cell(ranks, way):
    shape = "8x8x8" if way == "scotch, complete" else "32x32x16"
    return measured.cell("mapping-time", ranks=ranks, way=way, shape=shape)


def wanted(form, way):
    return [ranks for ranks in SIZES if ranks <= min(form.most_ranks, MOST.get(way, form.most_ranks))]


def cells(form):
    return [cell(ranks, way) for way in WAYS for ranks in wanted(form, way)]


def words_of(way, found):
    cut_off = ", cut off" if way == "tofa" and found["cut_off"] else ""
    return f"{number(found['seconds'])} ({number(found['hops_per_byte'])}{cut_off})"


def show(form, result):
    found = {way: {ranks: result(cell(ranks, way)) for ranks in wanted(form, way)} for way in WAYS}
    rows = []
    for ranks in SIZES:
        row = [f"{ranks:,}", number(PUBLISHED.get(ranks))]
        for way in WAYS:
            one = found[way].get(ranks)
            row.append("" if one is None else words_of(way, one))
        rows.append(row)
    series = {title: [(ranks, one["seconds"]) for ranks, one in found[way].items() if one] for way, title in WAYS.items()}
    series = {"published": list(PUBLISHED.items()), **series}
    return Shown([Table(["ranks", "published, s", *(f"{title}, s (hops per byte)" for title in WAYS.values())], rows)],
                 [("Mapping time", charts.lines(series, "ranks", "seconds of processors"))])


MAPPING_TIME = Item(
    name="mapping-time",
    title="Time to map onto a 32x32x16 torus",
    covers=("figure-5.3",),
    published="SCOTCH takes 0.08 s for 512 ranks and 88 s for 16,384, four times as long for twice as many.",
    method="Irregular traffic (a random geometric graph, 16 partners on average); seconds of the processors, of all threads "
    "together, reading and writing included. A complete graph of 16,384 nodes, 134 million edges, is not made here: "
    "SCOTCH gets its built-in torus instead, and the published way is shown on 512 nodes. The mapper `tofa` weighs all "
    "pairs of a run of nodes and is asked for up to 2,048 ranks. tofa has its default limit, 5 s by the "
    "clock: *cut off* is a search that a busy machine ended early.",
    why="SCOTCH's built-in torus needs no graph of the machine. TOFA as published cuts a complete graph of the run's "
    "nodes in halves: its time grows faster here than the published one, which is four times as long for twice as many "
    "ranks. Most of SCOTCH's time on 512 nodes is for reading the target of a complete graph. tofa takes "
    "what was planned for its limit, and has the fewest hops, cut off or not.",
    cells=cells,
    show=show,
)

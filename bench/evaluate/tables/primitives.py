# SPDX-License-Identifier: BSD-3-Clause
"""What the ranks' time goes to: thesis Table 6.2, Figures 6.11 and 6.12."""
import charts
from item import Item, Shown, Table, less, percent, run

PROGRAMS = {"cg-256-D": ("NPB CG D, 256", 40, 30), "dt-85-white-hole": ("NPB DT C, 85", 7.5, 5),
            "lammps-32": ("LAMMPS, 32", None, None), "lammps-128": ("LAMMPS, 128", None, None)}
WAYS = {"default": "list order", "published": "TOFA as published", "tofa": "tofa"}
PARTS = ("send", "receive", "broadcast", "sum")


def cells(_form):
    return [run(program, way, parts=True) for program in PROGRAMS for way in WAYS]


def mean_time(found, part):
    return None if found is None else found["times"][part]["mean"]


def waiting(found):
    return None if found is None else mean_time(found, "send") + mean_time(found, "receive")


def show(_form, result):
    sends, parts, series = [], [], {part: [] for part in PARTS}
    groups = []
    for program, (name, before, after) in PROGRAMS.items():
        found = {way: result(run(program, way, parts=True)) for way in WAYS}
        base = waiting(found["default"])
        if before is not None:
            sends.append([name, f"{before} s, {after} s", percent(1 - after / before),
                          *[percent(less(waiting(found[way]), base)) for way in ("published", "tofa")]])
        for way, title in WAYS.items():
            total = sum(mean_time(found[way], part) for part in PARTS) if found[way] else None
            shares = [None if not total else mean_time(found[way], part) / total for part in PARTS]
            parts.append([name, title, *[percent(share, 0) for share in shares]])
            groups.append(f"{name}: {way}")
            for part in PARTS:
                series[part].append(None if not found[way] else 1e3 * mean_time(found[way], part))
    return Shown([Table(["less time in sends", "published: before, after", "published", "TOFA as published", "tofa"], sends),
                  Table(["share of the communication", "placement", *PARTS], parts)],
                 [("Time in primitives", charts.bars(groups, series, "program and placement", "ms per rank, mean"))])


PRIMITIVES = Item(
    name="primitives",
    title="Time in sends and collectives",
    covers=("table-6.2", "figure-6.11", "figure-6.12"),
    published="SCOTCH takes the time in MPI_Send from 40 to 30 s (CG) and from 7.5 to 5 s (DT). LAMMPS computes for 70 % of its "
    "time on 32 ranks and for 56 % on 128; most of the rest are broadcasts and sums over all.",
    method="Sends and receives together, since SimGrid lets a sender of a short message go on; computation is not simulated. "
    "The seconds of the publications hold thousands of iterations, so ratios are compared.",
    why="DT agrees. CG D gains less by SCOTCH here, as in the run times. Of our LAMMPS' communication broadcasts and sums "
    "are a smaller part than of the published one's, since it has the transposes of an FFT.",
    cells=cells,
    show=show,
)

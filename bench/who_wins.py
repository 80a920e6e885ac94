#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Who wins where: what the answers of `tofa map` grew from, in how many cases of each kind.

    who_wins.py [--limits FILE] [--cases FOLDER] [PROGRAM]

Large tasks are those of limits.py, whose limits.tsv is given: cases at 0.1 s / 1 s. Tasks of up to 64 ranks, and tasks with
nodes that may fail, of 0.2 to 20 % of the nodes, are placed here, under two objectives each, without a limit and with 0.3 s.
"""
import argparse
import collections
import csv
import json
import pathlib
import random
import subprocess
import tempfile

import families
import measure

REGULAR = {"9-point", "27-point", "torus2", "torus3", "stencil4", "hpl", "pencils", "butterfly", "blocks", "sweep"}
MIXED = {"collectives", "ensemble", "coupled", "far", "far-mesh", "far-particles", "servers"}

SMALL = (
    ("torus4x4x4", 1, (8, 27, 64)),
    ("torus2x2x2", 8, (16, 64)),
    ("4:8:2/1:10:100", 1, (16, 64)),
    ("torus4x4", 4, (24, 60)),
    ("dragonfly4x4x2", 2, (30, 60)),
)
SMALL_TRAFFIC = ("9-point", "27-point", "torus2", "mesh3", "power-law", "random", "hpl", "geometric", "butterfly", "sweep", "blocks")
RISKY = (("torus4x4x4", 56), ("torus8x8x2", 100), ("torus8x8x9", 512), ("torus10x10x11", 1000))
RISKY_TRAFFIC = ("mesh3", "27-point", "power-law", "random", "hpl", "geometric")
SUSPECTS = (0.002, 0.01, 0.05, 0.2)  # of the nodes
PROBABILITIES = (0.3, 0.1, 0.05, 0.02, 0.01)
RISKY_LIMIT = 0.3  # seconds


def kind_of(family, machine, slots):
    """The row of the table that a case of limits.py belongs to."""
    tree = machine.startswith("fat") or ":" in machine
    grid = machine.startswith("torus")
    if family in MIXED:
        return "collectives, ensembles, coupled models, far partners, servers: " + ("tori" if grid else "trees and dragonflies")
    regular = "regular" if family in REGULAR else "irregular"
    if tree:
        return f"trees, {regular}"
    if not grid:
        return "dragonflies"
    if "%" in machine:
        return "scattered nodes of a torus" + (", shared" if slots > 1 else "")
    return f"{'tori, nodes that many ranks share' if slots > 1 else 'tori'}, {regular}"


def of_limits(path):
    """Cells by row and mapper, as text, of the cases in a limits.tsv."""
    counts = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    limits = []
    with open(path, encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            family, where = (part.strip() for part in row["case"].strip("| ").split("|"))
            machine, _, slots = where.partition(" x ")
            counts[kind_of(family, machine, int(slots or 1))][row["mapper"]][row["limit"]] += 1
            if row["limit"] not in limits:
                limits.append(row["limit"])
    return {kind: {mapper: " / ".join(str(of[limit]) for limit in limits) for mapper, of in mappers.items()} for kind, mappers in counts.items()}


def origin(program, graph, machine, *options):
    command = [program, "map", "--graph", graph, "--topology", machine, "--format", "json", *options]
    return json.loads(subprocess.run(list(map(str, command)), check=True, capture_output=True).stdout)["origin"]


def traffic(family, ranks, folder):
    path = families.traffic_path(f"{family}:{ranks}", folder)
    if not path.exists():
        families.write_traffic(f"{family}:{ranks}", folder)
    return path


def of_small(program, folder):
    found = collections.Counter()
    for name, slots, sizes in SMALL:
        machine = families.write_machine(name, folder)[0]
        for ranks in sizes:
            for family in SMALL_TRAFFIC:
                for objective in ("completion-time", "hop-bytes"):
                    found[origin(program, traffic(family, ranks, folder), machine, "--slots", slots, "--objective", objective)] += 1
    return found


def of_risky(program, folder):
    found = collections.Counter()
    outages = folder / "suspects.outages"
    for name, ranks in RISKY:
        machine, nodes, _ = families.write_machine(name, folder)
        for share in SUSPECTS:
            suspects = random.Random(f"{name} {share}").sample(range(nodes), max(1, round(nodes * share)))
            outages.write_text("".join(f"n{node} {PROBABILITIES[i % len(PROBABILITIES)]}\n" for i, node in enumerate(suspects)), "ascii")
            for family in RISKY_TRAFFIC:
                for objective in ("completion-time", "fault-weighted"):
                    found[origin(program, traffic(family, ranks, folder), machine, "--outages", outages, "--objective", objective,
                                 "--time-limit", RISKY_LIMIT)] += 1
    return found


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program", nargs="?", default=measure.TOFA)
    parser.add_argument("--limits")
    parser.add_argument("--cases")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(options.cases or scratch)
        rows = of_limits(options.limits) if options.limits else {}
        rows["64 ranks and fewer"] = of_small(options.program, folder)
        rows["nodes that may fail"] = of_risky(options.program, folder)
    mappers = sorted({mapper for row in rows.values() for mapper in row})
    print("| cases | " + " | ".join(mappers) + " |\n|---|" + "---:|" * len(mappers))
    for kind in sorted(rows, key=list(rows).index):
        print(f"| {kind} | " + " | ".join(str(rows[kind].get(mapper, "")) for mapper in mappers) + " |")


if __name__ == "__main__":
    main()

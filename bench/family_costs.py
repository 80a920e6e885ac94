#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Families of traffic on machines with levels, on tori, or on nodes that many ranks share: what one build of tofa finds
beside others.

    family_costs.py [--tori | --slots] [--objective NAME] [--limit SECONDS]... [--seeds N] [--only TEXT]
                    [--folder FOLDER] [--baseline PROGRAM]... PROGRAM

Costs are distances per byte under the objective hop-bytes, or thousandths per byte of what another one says, medians over
seeds, for each time limit; a baseline's are shown
beside them, with the ratio of the two. PROGRAM is a tofa-planned (bench/planned.cpp): work is planned and not timed, so the
figures are the same on a busy machine. Seconds are those of the processors, of all threads together. The last column says
which mapper the first seed's results grew from, the last lines how often each did. Traffic stays in the FOLDER, if one is
given, and is taken from there the next time.
"""
import argparse
import collections
import math
import random
import statistics
import subprocess
import tempfile

import families

# Machine, slots of a node, families; ranks fill all slots. "60 %" behind a machine: a job on nodes that other jobs left.
TREES = ("9-point", "27-point", "torus2", "torus3", "knn2", "mesh2", "mesh3", "geometric", "amr", "power-law", "hpl", "pencils")
TREE_SUITE = (
    ("4:8:6/1:10:100", 1, TREES),
    ("4:8:16/1:10:100", 1, TREES),
    ("4:8:6/1:10:100", 4, ("9-point", "knn2", "mesh3", "power-law", "pencils")),
    ("fat4x8x6", 1, ("9-point", "mesh3", "power-law", "geometric")),
    ("fat16x32", 1, ("27-point", "mesh3", "power-law", "geometric")),
    ("fat16x8", 8, ("27-point", "mesh3", "power-law")),
)

IRREGULAR = ("mesh2", "mesh3", "knn2", "geometric", "amr", "power-law", "heavy", "heavy-knn", "random")
REGULAR = ("9-point", "27-point", "torus3", "stencil4", "hpl", "pencils", "butterfly", "blocks")
TORUS_SUITE = (
    ("torus8x8x8", 1, REGULAR + IRREGULAR),
    ("torus4x8x16", 1, REGULAR + IRREGULAR),
    ("torus6x6x14", 1, ("9-point", "27-point", "hpl") + IRREGULAR),
    ("torus16x32", 1, ("27-point", "butterfly") + IRREGULAR),
    ("torus4x4x4x4x2", 1, ("9-point", "27-point", "hpl") + IRREGULAR),
    ("torus4x4x4", 16, ("27-point", "hpl", "pencils") + IRREGULAR),
    ("torus4x4x4", 64, ("27-point", "mesh3", "geometric", "power-law")),
    ("torus16x8x8 60 %", 1, ("9-point", "27-point", "hpl", "butterfly") + IRREGULAR),
)

SLOT_SUITE = (
    ("torus4x4x4", 8, ("9-point", "mesh3", "power-law", "random", "blocks")),
    ("torus4x4x4", 16, ("mesh2", "knn2", "amr", "27-point", "pencils", "power-law", "random")),
    ("torus4x4x4", 48, ("27-point", "geometric", "amr", "torus2")),
    ("torus4x4x4", 64, ("mesh3", "hpl", "power-law", "blocks", "torus3", "butterfly")),
    ("torus4x4x4", 128, ("geometric", "27-point", "9-point")),
    ("torus8x8x8", 4, ("27-point", "mesh2", "power-law", "hpl")),
    ("torus8x8x8", 16, ("geometric", "9-point", "torus3", "random")),
    ("torus6x6x14", 8, ("mesh3", "27-point", "amr")),
    ("torus16x32", 8, ("mesh2", "torus3", "power-law")),
    ("dragonfly9x4x2", 16, ("mesh3", "9-point", "power-law", "knn2", "hpl")),
    ("dragonfly9x4x2", 64, ("geometric", "27-point", "torus2")),
    ("fat16x8", 32, ("mesh3", "9-point", "geometric", "hpl")),
    ("4:8:6/1:10:100", 16, ("mesh3", "27-point", "power-law")),
)


def free_nodes(nodes, share):
    """The first of so many percent of the nodes, as many as are a power of two: traffic exists for such numbers of ranks."""
    free = sorted(random.Random(1).sample(range(nodes), nodes * share // 100))
    return free[: 1 << (len(free).bit_length() - 1)]


def median(program, *arguments):
    """Distance per byte and seconds of the processors, in the middle of the seeds; where the first grew from."""
    output = subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True).stdout
    results = [line.split() for line in output.splitlines()]
    return (*(statistics.median(float(result[i]) for result in results) for i in range(2)), results[0][2])


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--limit", type=float, action="append")
    suite = parser.add_mutually_exclusive_group()
    suite.add_argument("--tori", dest="suite", action="store_const", const=TORUS_SUITE, default=TREE_SUITE)
    suite.add_argument("--slots", dest="suite", action="store_const", const=SLOT_SUITE)
    parser.add_argument("--objective", default="hop-bytes")
    parser.add_argument("--folder")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--baseline", action="append", default=[])
    options = parser.parse_args()
    limits = options.limit or [0.1, 1]
    programs = [*options.baseline, options.program]
    columns = [f"{limit:g} s" for limit in limits for _ in programs]
    print("| case | machine | " + " | ".join(columns) + " | ratio | CPU s | from |")
    ratios = [[] for _ in limits]
    grown = [collections.Counter() for _ in limits]
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or scratch
        for machine, slots, names in options.suite:
            name, _, share = machine.partition(" ")
            topology, nodes, unit = families.write_machine(name, folder)
            if options.objective != "hop-bytes":
                unit = 1e-3
            hosts = []
            if share:
                free = free_nodes(nodes, int(share.rstrip(" %")))
                nodes = len(free)
                hosts = [f"n[{','.join(map(str, free))}]"]
            for family in names:
                title = f"| {family} | {machine}{f' x {slots}' if slots > 1 else ''} |"
                if options.only not in title:
                    continue
                graph = families.traffic_path(f"{family}:{nodes * slots}", folder)
                if not graph.exists():
                    families.write_traffic(f"{family}:{nodes * slots}", folder)
                texts, against, used, origins = [], [], [], []
                for i, limit in enumerate(limits):
                    found = [median(p, graph, topology, slots, limit, options.seeds, "auto", options.objective, *hosts) for p in programs]
                    texts += [f"{cost / unit:.3f}" for cost, _, _ in found]
                    used.append(f"{found[-1][1]:.2f}")
                    origins.append(found[-1][2])
                    grown[i][found[-1][2]] += 1
                    ratios[i].append(found[-1][0] / found[0][0])
                    against.append(f"{ratios[i][-1]:.3f}")
                print(f"{title} {' | '.join(texts)} | {' '.join(against)} | {' '.join(used)} | {' '.join(origins)} |", flush=True)
    for limit, values, counts in zip(limits, ratios, grown):
        if values:
            mean = math.exp(statistics.mean(map(math.log, values)))
            print(f"{limit:g} s: {mean:.3f} of the first, geometric mean; {min(values):.3f} to {max(values):.3f}; from "
                  + ", ".join(f"{name} {count}" for name, count in counts.most_common()))


if __name__ == "__main__":
    main()

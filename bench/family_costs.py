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
import statistics
import subprocess
import tempfile

import suites

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
    suite.add_argument("--tori", dest="suite", action="store_const", const=suites.TORI, default=suites.TREES)
    suite.add_argument("--slots", dest="suite", action="store_const", const=suites.SLOTS)
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
        for case in suites.cases(options.suite, options.folder or scratch, options.only):
            unit = case.unit if options.objective == "hop-bytes" else 1e-3
            texts, against, used, origins = [], [], [], []
            for i, limit in enumerate(limits):
                found = [median(p, case.graph, case.topology, case.slots, limit, options.seeds, "auto", options.objective, *case.hosts)
                         for p in programs]
                texts += [f"{cost / unit:.3f}" for cost, _, _ in found]
                used.append(f"{found[-1][1]:.2f}")
                origins.append(found[-1][2])
                grown[i][found[-1][2]] += 1
                ratios[i].append(found[-1][0] / found[0][0])
                against.append(f"{ratios[i][-1]:.3f}")
            print(f"{case.title} {' | '.join(texts)} | {' '.join(against)} | {' '.join(used)} | {' '.join(origins)} |", flush=True)
    for limit, values, counts in zip(limits, ratios, grown):
        if values:
            mean = math.exp(statistics.mean(map(math.log, values)))
            print(f"{limit:g} s: {mean:.3f} of the first, geometric mean; {min(values):.3f} to {max(values):.3f}; from "
                  + ", ".join(f"{name} {count}" for name, count in counts.most_common()))


if __name__ == "__main__":
    main()

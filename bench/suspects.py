#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Nodes that may fail, on tori with a tenth more nodes than ranks: which placements still have to do with one, by the clock.

    suspects.py [--quick] [--seeds N] [--limits SECONDS,...] [--cases FOLDER] [PROGRAM...]

One node in a hundred is worth avoiding, every sixth of these is certain to fail. `tofa map` places each kind of traffic within
each limit. Shown is how many placements, of so many seeds, are likelier to abort than one in a thousand, the seconds, and the hops
per byte; of several programs, one beside the other.
"""
import argparse
import json
import pathlib
import random
import statistics
import subprocess
import tempfile

import families
import measure

CASES = (
    ("torus8x8x9", 512, ("mesh3", "amr", "27-point", "knn2")),
    ("torus10x10x11", 1024, ("geometric", "power-law")),
    ("torus16x16x18", 4096, ("mesh3", "amr", "27-point")),
)
PROBABILITIES = (1, 0.3, 0.1, 0.05, 0.02, 0.01)
WORTH_MENTIONING = 1e-3


def write_outages(machine, nodes, folder):
    path = pathlib.Path(folder) / f"{machine}.outages"
    suspects = random.Random(machine).sample(range(nodes), nodes // 100)
    path.write_text("".join(f"n{node} {PROBABILITIES[i % len(PROBABILITIES)]}\n" for i, node in enumerate(suspects)), "ascii")
    return path


def place(program, graph, machine, outages, limit, seed):
    command = [program, "map", "--graph", graph, "--topology", machine, "--outages", outages, "--time-limit", limit, "--seed", seed,
               "--format", "json"]
    return json.loads(subprocess.run(list(map(str, command)), check=True, capture_output=True).stdout)


def cell(reports):
    exposed = sum(report["abort_probability"] > WORTH_MENTIONING for report in reports)
    median = {key: statistics.median(report[key] for report in reports) for key in ("elapsed_seconds", "average_hops_per_byte")}
    return exposed, f"{exposed} of {len(reports)}, {median['elapsed_seconds']:.2f} s, {median['average_hops_per_byte']:.2f} hops"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("programs", nargs="*", default=[measure.TOFA])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--limits", default="0.1,0.3,1,5")
    parser.add_argument("--cases")
    options = parser.parse_args()
    exposed = {}
    print("| traffic | machine | limit |" + " may abort |" * len(options.programs))
    print("|---|---|---:|" + "---|" * len(options.programs))
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.cases or scratch
        for name, ranks, traffic in CASES[:1] if options.quick else CASES:
            machine, nodes, _ = families.write_machine(name, folder)
            outages = write_outages(name, nodes, folder)
            for family in traffic:
                graph = families.traffic_path(f"{family}:{ranks}", folder)
                if not graph.exists():
                    families.write_traffic(f"{family}:{ranks}", folder)
                for limit in options.limits.split(","):
                    cells = []
                    for program in options.programs:
                        count, text = cell([place(program, graph, machine, outages, limit, seed + 1) for seed in range(options.seeds)])
                        exposed.setdefault((limit, str(program)), []).append(count / options.seeds)
                        cells.append(text)
                    print(f"| {family} {ranks} | {name} | {limit} s | {' | '.join(cells)} |", flush=True)
    for (limit, program), shares in exposed.items():
        print(f"\n{limit} s: {100 * statistics.mean(shares):.0f} % of placements may abort ({pathlib.Path(program).name})", end="")
    print()


if __name__ == "__main__":
    main()

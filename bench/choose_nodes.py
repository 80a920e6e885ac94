#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What choosing nodes is worth on a busy cluster with faulty nodes: hops per byte, busiest link, abort probability.

    choose_nodes.py [--draws N] [--seed S]

An 8x8x8 torus on which jobs came and went until 40 to 60 % of the nodes were busy, and eight nodes, idle or not, that
fail with a probability of 5 %. A job, one rank a node, gets the first idle nodes in list order, as Slurm does it, with
its ranks in order; the same nodes with its ranks placed by `tofa map`; or nodes and places by `tofa select`. Prints a
table with means over all draws. Needs TOFA, the program (default: build/bin/tofa).
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "fixtures" / "cases"
TOFA = os.environ.get("TOFA", str(ROOT / "build" / "bin" / "tofa"))
NODES = 512
FAULTY = 8
OUTAGE_PROBABILITY = 0.05
JOBS = {"cg64": 64, "lmp64": 64, "dt85bh": 85}
SLURM = "first idle nodes, ranks in order"


def first_idle(busy):
    return [node for node in range(NODES) if node not in busy]


def busy_nodes(draw):
    """Jobs take the first idle nodes and end in any order, which leaves holes of many sizes."""
    jobs = []
    target = draw.uniform(0.4, 0.6) * NODES
    for _ in range(20):
        while sum(map(len, jobs)) < 0.9 * NODES:
            jobs.append(first_idle(set().union(*jobs))[:draw.choice((2, 4, 8, 16, 32, 64))])
        while sum(map(len, jobs)) > target:
            jobs.pop(draw.randrange(len(jobs)))
    return set().union(*jobs)


def host_list(nodes):
    return "n[" + ",".join(f"{node:03}" for node in nodes) + "]"


def tofa(command, case, nodes, outages, *options):
    answer = subprocess.run(
        [TOFA, command, "--quiet", "--graph", CASES / case, "--topology", CASES / "torus-8x8x8.toml",
         "--nodes", host_list(nodes), "--outages", outages, *options],
        check=True, capture_output=True, timeout=120)
    return json.loads(answer.stdout)


def place(case, ranks, busy, outages):
    """The metrics of the three ways."""
    idle = first_idle(busy)
    mapped = tofa("map", case, idle[:ranks], outages, "--format", "json")
    selected = tofa("select", case, idle, outages, "--json")
    return {
        SLURM: mapped["default"],
        "first idle nodes, tofa map": mapped,
        "tofa select": selected["chosen"],
    }


def draw_once(draw, folder):
    busy = busy_nodes(draw)
    outages = folder / "outages"
    faulty = draw.sample(range(NODES), FAULTY)
    outages.write_text("".join(f"n{node:03} {OUTAGE_PROBABILITY}\n" for node in faulty))
    return {case: place(case, ranks, busy, outages) for case, ranks in JOBS.items()}


def print_table(draws):
    print(f"Means of {len(draws)} draws; the load of the busiest link is relative to that of Slurm's choice.\n")
    print("| job | placement | hops per byte | max link load | abort probability |\n|---|---|---:|---:|---:|")
    for case in JOBS:
        for way in draws[0][case]:
            hops = statistics.mean(draw[case][way]["average_hops_per_byte"] for draw in draws)
            load = statistics.mean(draw[case][way]["max_link_load"] / draw[case][SLURM]["max_link_load"]
                                   for draw in draws)
            abort = statistics.mean(draw[case][way]["abort_probability"] for draw in draws)
            print(f"| {case} | {way} | {hops:.2f} | {load:.2f} | {abort:.3f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        print_table([draw_once(draw, pathlib.Path(folder)) for _ in range(arguments.draws)])


if __name__ == "__main__":
    main()

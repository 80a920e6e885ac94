#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A million ranks of irregular traffic, on machines of a million nodes and of ten thousand with 100 slots each: what tofa
finds within a time limit, how long it takes, and how much memory.

    large.py [--quick] [--limit SECONDS] [--folder FOLDER]

Seconds and memory are those of the whole process, reading and writing included. --quick takes 64,000 ranks and a fifth of the
limit. Traffic stays in the FOLDER, if one is given, and is taken from there the next time.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

import families
import measure

# Ranks, seconds allowed, and machines with their slots.
FULL = (1_000_000, 20, (("torus100x100x100", 1), ("fat100x100x100", 1), ("dragonfly500x100x20", 1),
                        ("torus20x20x25", 100), ("fat25x20x20", 100), ("dragonfly50x20x10", 100)))
QUICK = (64_000, 4, (("torus40x40x40", 1), ("fat40x40x40", 1), ("dragonfly40x40x40", 1),
                     ("torus8x8x10", 100), ("fat10x8x8", 100), ("dragonfly10x8x8", 100)))


def pairs_in(graph):
    with open(graph, encoding="ascii") as lines:
        next(lines)
        return int(next(lines).split()[2]) // 2


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--limit", type=float)
    parser.add_argument("--folder", type=pathlib.Path)
    options = parser.parse_args()
    ranks, limit, machines = QUICK if options.quick else FULL
    limit = options.limit or limit
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        graph = families.traffic_path(f"geometric:{ranks}", folder)
        if not graph.exists():
            # By a process of its own: the most memory that this one had would count as its children's.
            subprocess.run([families.__file__, f"geometric:{ranks}", folder], check=True)
        pairs = pairs_in(graph)
        print(f"Random geometric, {ranks:,} ranks, {pairs:,} pairs, --time-limit {limit:g}\n")
        print("| machine | slots | list order: hops per byte | tofa | from | s | bytes per pair |")
        print("|---|---:|---:|---:|---|---:|---:|", flush=True)
        for machine, slots in machines:
            topology = families.write_machine(machine, scratch)[0]
            answer = pathlib.Path(scratch) / "answer.json"
            run = measure.Run([measure.TOFA, "map", "--graph", graph, "--topology", topology, "--slots", str(slots),
                               "--objective", "hop-bytes", "--time-limit", str(limit), "--format", "json", "-o", answer], 10 * limit)
            if run.failed:
                print(f"| {machine} | {slots} | | {run.failed} | | | |")
                continue
            found = json.loads(answer.read_text("utf-8"))
            print(f"| {machine} | {slots} | {found['default']['average_hops_per_byte']:.2f} |"
                  f" {found['average_hops_per_byte']:.3f} | {found['origin']} | {run.seconds:.1f} |"
                  f" {run.megabytes * 2**20 / pairs:.0f} |", flush=True)


if __name__ == "__main__":
    main()

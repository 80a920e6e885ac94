#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is the run time that tofa whatif takes for granted, T' = (1 + R a - a) T, what programs take? In SimGrid.

    whatif_model.py [--quick]

A program like miniGhost (bench/whatif_model/halo.c) runs on nodes that are free here and there in a tree of 128 nodes of 4
cores: on 32, 64 and 128 ranks, with small and large messages, with 5 to 45 % of its time communication. It runs with
ranks in blocks, as Slurm puts them, or round robin, as in the paper, and then where tofa puts them for the fewest
hop-bytes. Of the first run come T and a, of the two placements R; the second run is what the model is to tell. Prints a
table by share of communication, and the correlation; leaves whatif-model.json and whatif-model.svg in build/bench/results.
84 runs, as published in kind (Georgiou et al. 2018, Fig. 4); --quick makes 12. Needs SimGrid (libsimgrid-dev), and tofa
in build, or in the folder that TOFA_BUILD names.
"""
import argparse
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

import plot

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("TOFA_BUILD", ROOT / "build")).resolve()
DEADLINE = 900  # seconds for any command
NODES, CORES, SPEED = 128, 4, 6e9
# Hosts of 4 cores and 10 Gbit/s: four to a leaf switch with two ways up, four of these to a group with four, eight groups.
PLATFORM = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="tree" topology="FAT_TREE" topo_parameters="3;4,4,8;1,2,2;1,1,1" prefix="n" suffix="" radical="0-127"
           speed="6Gf" core="4" bw="10Gbps" lat="1us" sharing_policy="SPLITDUPLEX"/>
</platform>
"""
BOXES = {32: (4, 4, 2), 64: (4, 4, 4), 128: (8, 4, 4)}
FACES = (64 << 10, 1 << 20)  # bytes
SHARES = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.45)
ORDERS = ("block", "round robin")
ITERATIONS = 3


def run_well(command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL, timeout=DEADLINE)
    if done.returncode != 0:
        sys.exit(f"whatif_model.py: {' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout


class Machine:
    """The same tree for SimGrid and for tofa, and the program, in a folder."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "platform.xml").write_text(PLATFORM)
        lines = [f"SwitchName=leaf{i} Nodes=n[{4 * i}-{4 * i + 3}]" for i in range(32)]
        lines += [f"SwitchName=group{i} Switches=leaf[{4 * i}-{4 * i + 3}]" for i in range(8)]
        (folder / "topology.conf").write_text("\n".join([*lines, "SwitchName=top Switches=group[0-7]", ""]))
        run_well(["smpicc", "-O1", "-o", folder / "halo", ROOT / "bench" / "whatif_model" / "halo.c"])

    def tofa(self, *arguments):
        return run_well([BUILD / "bin" / "tofa", *arguments, "--graph", self.folder / "traffic.mtx", "--topology",
                         self.folder / "topology.conf"])

    def run(self, hosts, box, face, flops):
        """Seconds, and the share of them that is communication."""
        (self.folder / "hosts").write_text("\n".join([*hosts, ""]))
        # The program's mutable global variables are only buffers, which ranks may share.
        said = run_well(["smpirun", "-no-privatize", "-platform", self.folder / "platform.xml", "-hostfile",
                         self.folder / "hosts", "-np", len(hosts), "--cfg=smpi/simulate-computation:no",
                         "--log=root.thresh:warning", self.folder / "halo", *box, ITERATIONS, face, flops])
        seconds, share = map(float, said.split())
        return seconds, share

    def hops_per_byte(self, hosts):
        (self.folder / "mapping").write_text("\n".join([*hosts, ""]))
        report = json.loads(self.tofa("evaluate", "--mapping", self.folder / "mapping", "--json"))
        return report["average_hops_per_byte"]

    def best(self, nodes):
        return self.tofa("map", "--nodes", ",".join(nodes), "--slots", CORES, "--objective", "hop-bytes").split()


def traffic_of(box, face):
    """What the program exchanges in an iteration, as a Matrix Market file."""
    x, y, z = box
    strides = (y * z, z, 1)
    entries = []
    for rank in range(x * y * z):
        for d in range(3):
            if rank // strides[d] % box[d] + 1 < box[d]:
                other = rank + strides[d]
                entries += [(rank, other, face >> d), (other, rank, face >> d)]
    lines = [f"{sender + 1} {receiver + 1} {size}" for sender, receiver, size in sorted(entries)]
    return "\n".join(["%%MatrixMarket matrix coordinate integer general", f"{x * y * z} {x * y * z} {len(lines)}",
                      *lines, ""])


def measure(machine, ranks, face, order, shares, seed):
    box = BOXES[ranks]
    (machine.folder / "traffic.mtx").write_text(traffic_of(box, face))
    nodes = [f"n{i}" for i in sorted(random.Random(seed).sample(range(NODES), ranks // CORES))]
    before = [nodes[rank // CORES if order == "block" else rank % len(nodes)] for rank in range(ranks)]
    after = machine.best(nodes)
    ratio = machine.hops_per_byte(after) / machine.hops_per_byte(before)
    communication, _ = machine.run(before, box, face, 0)
    rows = []
    for wanted in shares:
        flops = communication / ITERATIONS * (1 - wanted) / wanted * SPEED
        time, share = machine.run(before, box, face, flops)
        measured, _ = machine.run(after, box, face, flops)
        rows.append({"ranks": ranks, "bytes": face, "order": order, "wanted_share": wanted, "share": share, "ratio": ratio,
                     "seconds_before": time, "seconds": measured, "modelled": (1 + ratio * share - share) * time})
    return rows


def correlation(rows):
    xs, ys = [row["seconds"] for row in rows], [row["modelled"] for row in rows]
    mx, my = statistics.fmean(xs), statistics.fmean(ys)
    above = sum((x - mx) * (y - my) for x, y in zip(xs, ys))
    return above / math.sqrt(sum((x - mx) ** 2 for x in xs) * sum((y - my) ** 2 for y in ys))


def table(rows):
    lines = ["| communication | runs | R | faster, measured | faster, modelled | model off by, mean | worst |",
             "|---|---:|---:|---:|---:|---:|---:|"]
    for order in (*ORDERS, None):
        for share in (*sorted({row["wanted_share"] for row in rows}), None):
            some = [row for row in rows if order in (None, row["order"]) and share in (None, row["wanted_share"])]
            if not some or (share is None) != (order is None):
                continue
            mean = {key: statistics.fmean(row[key] for row in some) for key in ("ratio", "share")}
            saved = [100 * statistics.fmean(1 - row[key] / row["seconds_before"] for row in some)
                     for key in ("seconds", "modelled")]
            off = [100 * abs(row["modelled"] / row["seconds"] - 1) for row in some]
            name = "all" if order is None else f"{order}, {100 * mean['share']:.0f} %"
            lines.append(f"| {name} | {len(some)} | {mean['ratio']:.2f} | {saved[0]:.1f} % | {saved[1]:.1f} % | "
                         f"{statistics.fmean(off):.1f} % | {max(off):.1f} % |")
    return "\n".join(lines)


def drawing(rows):
    """What was measured across, what the model says up: on the diagonal both are the same."""
    left, top, side = 80, 60, 400
    picture = plot.Picture(left + side + 40, top + side + 60)
    values = [1e3 * row[key] for row in rows for key in ("seconds", "modelled")]
    low, high = 0.8 * min(values), 1.25 * max(values)
    across, up = plot.Scale(low, high, left, left + side), plot.Scale(low, high, top + side, top)
    for tick in (factor * 10 ** power for power in range(-2, 6) for factor in (1, 2, 5)):
        if low <= tick <= high:
            picture.line(across(tick), top, across(tick), top + side)
            picture.line(left, up(tick), left + side, up(tick))
            picture.text(across(tick), top + side + 16, f"{tick:g}", "middle", 11)
            picture.text(left - 6, up(tick) + 4, f"{tick:g}", "end", 11)
    picture.line(across(low), up(low), across(high), up(high), "#888")
    shapes = dict(zip(ORDERS, (("#0072b2", "circle"), ("#d55e00", "triangle"))))
    for i, (order, shape) in enumerate(shapes.items()):
        picture.mark(left + 200 * i, 36, shape, order)
        picture.text(left + 12 + 200 * i, 40, f"before: {order}")
    for row in rows:
        said = (f"{row['ranks']} ranks, {row['bytes']} bytes, {100 * row['share']:.0f} % communication, "
                f"R {row['ratio']:.2f}")
        picture.mark(across(1e3 * row["seconds"]), up(1e3 * row["modelled"]), shapes[row["order"]], said)
    picture.text(left, 16, f"Time after ranks were re-ordered, ms; correlation {correlation(rows):.4f}")
    picture.text(left + side / 2, top + side + 40, "simulated", "middle")
    picture.text(left - 50, top - 8, "by the model")
    return picture.document()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    rows = []
    with tempfile.TemporaryDirectory(prefix="tofa-model-") as name:
        machine = Machine(pathlib.Path(name))
        for i, ranks in enumerate(list(BOXES)[:1] if quick else BOXES):
            for face in FACES:
                for order in ORDERS:
                    rows += measure(machine, ranks, face, order, SHARES[::3] if quick else SHARES, seed=i)
    results = BUILD / "bench" / "results"
    results.mkdir(parents=True, exist_ok=True)
    (results / "whatif-model.json").write_text(json.dumps({"correlation": correlation(rows), "runs": rows}, indent=2) + "\n")
    (results / "whatif-model.svg").write_text(drawing(rows))
    print(table(rows))
    print(f"\nCorrelation of {len(rows)} times, simulated and by the model: {correlation(rows):.5f}")


if __name__ == "__main__":
    main()

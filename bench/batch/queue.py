#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A busy queue on a Slurm cluster with suspect nodes: how long jobs wait, and what they get, by the way they are submitted.
Needs root, since the cluster is made of namespaces (tests/cluster).

    queue.py [--jobs N] [--seed N] [FOLDER]      default: 24 jobs; queue.md is left in FOLDER (build/bench/results)

The same jobs, of 2 to 8 nodes and 1 to 4 seconds, arrive at the same times at 16 nodes of a 4x4x1 torus, four of them
suspect. They come as batch jobs, as Slurm places them, with --tofa and with a spare node each; and as srun outside of
allocations, as Slurm places them and with --tofa. Waiting is from submission to the first rank's start.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BIN = SOURCE / "build/bin"
PLUGIN = SOURCE / "build/lib/tofa/spank_tofa.so"
NODES = 16
PER_NODE = 2
SUSPECT = 0.05  # probability that a suspect node fails while a job runs
BATCH = ("sbatch", "sbatch --tofa", "sbatch --tofa --tofa-spare=1")
DIRECT = ("srun", "srun --tofa")


def draw_jobs(seed, count):
    """(arrival, nodes, seconds) of each job; together they ask for more than there is."""
    source = random.Random(seed)
    arrival = 0.0
    jobs = []
    for _ in range(count):
        jobs.append((arrival, source.choice((2, 4, 4, 6, 8)), source.choice((1, 2, 3, 4))))
        arrival += source.expovariate(1 / 0.6)
    return jobs


def ring(ranks):
    """Each rank talks to the one half of the ranks further on, and a little to the next."""
    entries = [(i, (i + ranks // 2) % ranks, 1000) for i in range(ranks)] + [(i, (i + 1) % ranks, 100) for i in range(ranks)]
    return ("%%MatrixMarket matrix coordinate integer general\n" + f"{ranks} {ranks} {len(entries)}\n" +
            "".join(f"{a + 1} {b + 1} {c}\n" for a, b, c in entries))


class Queue:
    """One cluster and the jobs that went through it."""

    def __init__(self, folder):
        self.folder = folder
        self.shared = folder / "shared"

    def command(self, *words):
        return [str(SOURCE / "tests/cluster/cluster.sh"), "--dir", str(self.folder), *map(str, words)]

    def up(self, seed):
        plugstack = self.folder.parent / "plugstack.conf"
        plugstack.write_text(f"optional {PLUGIN}\n")
        subprocess.run(self.command("up", "--cpus", PER_NODE, "--conf", "SchedulerType=sched/backfill", "--conf",
                                    "SchedulerParameters=bf_interval=1", "--etc", plugstack, NODES),
                       check=True, stdout=subprocess.DEVNULL)
        hosts = [f"n{node:03}" for node in range(NODES)]
        (self.shared / "torus.toml").write_text(
            f'[topology]\nkind = "torus"\nshape = [4, 4, 1]\nnodes = "n[000-{NODES - 1:03}]"\n')
        (self.shared / "outages").write_text(
            "".join(f"{host} {SUSPECT}\n" for host in random.Random(seed).sample(hosts, 4)))
        for nodes in (2, 4, 6, 8):
            (self.shared / f"ring{nodes * PER_NODE}.bytes.mtx").write_text(ring(nodes * PER_NODE))

    def down(self):
        subprocess.run(self.command("down"), check=False, stdout=subprocess.DEVNULL)

    def head(self, script):
        environment = dict(os.environ, TOFA_TOPOLOGY=str(self.shared / "torus.toml"),
                           TOFA_OUTAGES=str(self.shared / "outages"))
        return subprocess.run(self.command("sh", "bash", "-c", f"cd '{self.shared}'; {script}"), text=True, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False).stdout

    def submit(self, way, number, nodes, seconds):
        """Returns when a batch job is in the queue, or srun is done."""
        ranks = nodes * PER_NODE
        rank = f"'echo $EPOCHREALTIME $SLURM_PROCID $(hostname) >>rank.{number}; sleep {seconds}'"
        options = f"-N{nodes} -n{ranks} --quiet -o out.{number}"
        if way.startswith("sbatch"):
            tofa = way.replace("--tofa ", f"--tofa=ring{ranks} ", 1) if " --tofa " in way else (
                way.replace("--tofa", f"--tofa=ring{ranks}"))
            (self.shared / f"job.{number}").write_text(f"#!/bin/bash\nsrun -n{ranks} bash -c {rank}\n")
            self.head(f"{tofa} {options} job.{number}")
        else:
            tofa = way.replace("--tofa", f"--tofa=ring{ranks}")
            self.head(f"{tofa} {options} bash -c {rank}")

    def run(self, way, jobs):
        """What became of the jobs: waiting, hops per byte and abort probability of each; and the time for all."""
        began = time.time()
        submitted = []
        threads = []
        for number, (arrival, nodes, seconds) in enumerate(jobs):
            time.sleep(max(0, began + arrival - time.time()))
            submitted.append(time.time())
            threads.append(threading.Thread(target=self.submit, args=(way, number, nodes, seconds)))
            threads[-1].start()
        for thread in threads:
            thread.join()
        while self.head("squeue -h"):
            time.sleep(0.5)
        total = time.time() - began
        return [self.result(number, jobs[number][1], submitted[number]) for number in range(len(jobs))], total

    def result(self, number, nodes, submitted):
        lines = [line.split() for line in (self.shared / f"rank.{number}").read_text().splitlines()]
        mapping = [host for _, host in sorted((int(rank), host) for _, rank, host in lines)]
        (self.shared / "mapping").write_text("\n".join(mapping) + "\n")
        found = json.loads(self.head(f"{BIN}/tofa evaluate --graph ring{nodes * PER_NODE} --mapping mapping --json"))
        return min(float(at) for at, _, _ in lines) - submitted, found["average_hops_per_byte"], found["abort_probability"]


def measure(way, jobs, seed):
    with tempfile.TemporaryDirectory(prefix="tofa-queue-", dir="/tmp") as scratch:
        os.chmod(scratch, 0o755)
        queue = Queue(pathlib.Path(scratch) / "cluster")
        try:
            queue.up(seed)
            return queue.run(way, jobs)
        finally:
            queue.down()


def mean(values):
    return sum(values) / len(values)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=SOURCE / "build/bench/results")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    jobs = draw_jobs(options.seed, options.jobs)
    lines = ["| submitted by | mean wait, s | longest wait, s | all done after, s | hops per byte | jobs aborted of 1000 |",
             "|---|---:|---:|---:|---:|---:|"]
    for way in (*BATCH, *DIRECT):
        print(way, file=sys.stderr, flush=True)
        found, total = measure(way, jobs, options.seed)
        waits, hops, aborts = zip(*found)
        lines.append(f"| `{way}` | {mean(waits):.2f} | {max(waits):.1f} | {total:.1f} | {mean(hops):.2f} | "
                     f"{1000 * mean(aborts):.0f} |")
    text = "\n".join(lines) + "\n"
    (options.folder / "queue.md").write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws combinations of srun's options and runs each with and without --tofa, on the head of a test cluster.

Whatever plain srun starts must start with --tofa, and ranks must get the same: as many GPUs each, no more ranks to a
GPU or a processor. Where tofa declines, all is as without it. Prints the combinations for which that does not hold, with
what was seen; the exit status is 1 if there are any. The same seed draws the same combinations.
"""
import argparse
import collections
import json
import os
import random
import subprocess
import sys
import tempfile
import time

RANK = ('echo "rank $SLURM_PROCID $(hostname) gpus=${CUDA_VISIBLE_DEVICES:-} cpus=$SLURM_CPUS_ON_NODE '
        'mem=${SLURM_MEM_PER_NODE:-}/${SLURM_MEM_PER_CPU:-} dist=$SLURM_DISTRIBUTION"')
# Seconds. Every step that can start does so at once; one that plain srun waits with is none that it starts.
PATIENCE = 2
DEADLINE = 40


def draw_resources(rng, chance):
    """Options about what ranks and nodes have, each with that probability."""
    options = []
    for name, values in (("-c", (1, 2, 3)), ("--gpus-per-node", (1, 2, 4)), ("--gpus-per-task", (1, 2)),
                         ("--gpus", (1, 2, 4, 8)), ("--gres", ("gpu:1", "gpu:2", "none")), ("--ntasks-per-gpu", (1, 2)),
                         ("--ntasks-per-node", (1, 2, 3, 4)), ("--ntasks-per-core", (1, 2)),
                         ("--ntasks-per-socket", (1, 2)), ("--hint", ("nomultithread", "multithread", "compute_bound")),
                         ("--threads-per-core", (1, 2)), ("--mem", (200, 500, 1000)), ("--mem-per-cpu", (50, 100, 200)),
                         ("--cpus-per-gpu", (1, 2)), ("--gpu-bind", ("closest", "none"))):
        if rng.random() < chance:
            value = rng.choice(values)
            options.append(f"-c{value}" if name == "-c" else f"{name}={value}")
    return options


def draw_shape(rng, ranks):
    options = [f"-n{ranks}"] if rng.random() < 0.9 else []
    if rng.random() < 0.4:
        options.append(f"-N{rng.choice((1, 2, 3, 4, '1-3', '2-4'))}")
    return options


def draw_step(rng, ranks):
    options = draw_shape(rng, ranks) + draw_resources(rng, 0.05)
    for flag, chance in (("--exact", 0.2), ("--overlap", 0.1), ("-O", 0.08), ("--exclusive", 0.1), ("-l", 0.05),
                         ("-Q", 0.1), ("--cpu-bind=none", 0.1), ("-K", 0.1), ("--kill-on-bad-exit=1", 0.05)):
        if rng.random() < chance:
            options.append(flag)
    rng.shuffle(options)
    return options


def draw_job(rng):
    options = [f"-N{rng.choice((2, 2, 3, 4, 4, 6))}"] if rng.random() < 0.85 else []
    if rng.random() < 0.8:
        options.append(f"-n{rng.choice((4, 6, 8, 8))}")
    if rng.random() < 0.6:
        options.append("--exclusive")
    if rng.random() < 0.4:
        options.append(f"-p{rng.choice(('threads', 'threads', 'cores', 'plain'))}")
    return options + draw_resources(rng, 0.03)


def wait_for_steps():
    """A step that has just ended still has its nodes for a moment."""
    while "SLURM_JOB_ID" in os.environ and subprocess.run(
            ["squeue", "-h", "-s", "-j", os.environ["SLURM_JOB_ID"]], capture_output=True, check=False).stdout:
        time.sleep(0.05)


class Outcome:
    """What ranks said of themselves, and what srun said."""

    def __init__(self, status, output, errors):
        self.started = status == 0
        self.errors = errors
        self.ranks = {}
        for line in output.splitlines():
            words = line[line.find("rank "):].split() if "rank " in line else []
            if len(words) == 7 and "gpus=" in words[3]:
                self.ranks[int(words[1])] = (words[2], *(word.split("=", 1)[1] for word in words[3:]))
        self.load = collections.Counter(rank[0] for rank in self.ranks.values())
        self.declined = "default placement is used" in errors

    def gpus(self):
        """Visible GPUs of each rank, in order of size."""
        return sorted(len([gpu for gpu in rank[1].split(",") if gpu]) for rank in self.ranks.values())

    def shares(self):
        """The least that a rank has of the GPUs it sees, and of its step's processors."""
        users = collections.Counter((rank[0], gpu) for rank in self.ranks.values() for gpu in rank[1].split(",") if gpu)
        gpus = min((sum(1 / users[rank[0], gpu] for gpu in rank[1].split(",") if gpu) for rank in self.ranks.values()),
                   default=0)
        cpus = min((int(rank[2] or 0) / self.load[rank[0]] for rank in self.ranks.values()), default=0)
        return gpus, cpus

    def show(self):
        text = "".join(f"    {rank}: {' '.join(what)}\n" for rank, what in sorted(self.ranks.items()))
        return f"{'started' if self.started else 'failed'}\n{text}    {self.errors.strip()}\n"


def objection(plain, placed, step):
    """What is wrong with the placed one, if anything."""
    if placed is None:
        return f"one is done within {PATIENCE} s, the other not within {DEADLINE} s"
    if plain.started != placed.started:
        return "one starts, the other does not"
    if not plain.started:
        return None
    if sorted(plain.ranks) != sorted(placed.ranks):
        return "other ranks"
    if placed.declined and sorted(plain.load.values()) != sorted(placed.load.values()):
        return "declined, and not as without"
    if placed.declined and set(plain.load) != set(placed.load):
        return None  # Slurm chose other nodes, which may have more
    if plain.gpus() != placed.gpus():
        return "other GPUs per rank"
    gpus, cpus = placed.shares()
    plain_gpus, plain_cpus = plain.shares()
    if gpus < plain_gpus - 1e-9:
        return "ranks share GPUs that plain ones do not"
    if "-O" not in step and cpus < min(1, plain_cpus) - 1e-9:
        return "more ranks than processors"
    if sorted(rank[3] for rank in plain.ranks.values()) != sorted(rank[3] for rank in placed.ranks.values()):
        return "other memory"
    if any(rank[4] == "dist=arbitrary" for rank in placed.ranks.values()):
        return "tasks see the distribution"
    return None


def run(words, patience):
    """What came of it; nothing if it is not done in time."""
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        output, errors = process.communicate(timeout=patience)
        return Outcome(process.returncode, output, errors)
    except subprocess.TimeoutExpired:
        process.terminate()  # srun takes its job out of the queue
        try:
            process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        return None


def profile(folder, ranks):
    """Rank i talks to the one half of the ranks further on."""
    path = f"{folder}/pairs{ranks}.bytes.mtx"
    pairs = [f"{i + 1} {i + 1 + ranks // 2} 1000" for i in range(ranks // 2)]
    with open(path, "w", encoding="ascii") as file:
        file.write("%%MatrixMarket matrix coordinate integer general\n"
                   f"{ranks} {ranks} {len(pairs)}\n" + "".join(pair + "\n" for pair in pairs))
    return path


class Checker:
    def __init__(self, folder):
        self.folder = folder
        self.counts = collections.Counter()
        self.objections = []

    def done(self):
        return self.counts["started"] + self.counts["refused"]

    def check(self, ranks, options, where):
        plain, placed, wrong = self.compare(ranks, options)
        if wrong:  # Under load Slurm loses a connection now and then; what is wrong is so twice.
            plain, placed, wrong = self.compare(ranks, options)
        if wrong:
            self.objections.append(f"{wrong}: {where} srun {' '.join(options)}\n  plain: {plain.show()}"
                                   f"  placed: {placed.show() if placed else ''}")
        started = plain and plain.started
        self.counts["started" if started else "refused"] += 1
        if started and placed:
            self.counts["declined" if placed.declined else "placed"] += 1

    def compare(self, ranks, options):
        body = ["sh", "-c", RANK]
        wait_for_steps()
        plain = run(["srun"] + options + body, PATIENCE)
        if not plain:  # plain srun waits: nothing can be said
            return None, None, None
        wait_for_steps()
        placed = run(["srun", f"--tofa={profile(self.folder, ranks)}"] + options + body, DEADLINE)
        return plain, placed, objection(plain, placed, options)


def check_steps(checker, rng, steps, job):
    """In the allocation that this process runs in, one step after another."""
    for _ in range(steps):
        ranks = rng.choice((2, 3, 4, 4, 6))
        checker.check(ranks, draw_step(rng, ranks), f"salloc {' '.join(job)};")


def check_alone(checker, rng):
    """A job of srun's own, on idle nodes."""
    ranks = rng.choice((2, 4, 6, 8))
    options = draw_step(rng, ranks)
    if rng.random() < 0.4:
        options.append(f"-p{rng.choice(('threads', 'cores', 'plain'))}")
    checker.check(ranks, ["--immediate=5"] + options, "alone;")


def allocate(checker, seed, job, steps):
    """Runs this program in an allocation, if Slurm grants it, and adds what it found."""
    command = ["salloc", "--quiet", "--immediate=5"] + job
    inside = [sys.executable, os.path.abspath(__file__), "--seed", str(seed), "--count", str(steps), "--inside"] + job
    done = subprocess.run(command + inside, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=4 * DEADLINE * steps)
    if not done.stdout.startswith("{"):
        return 0
    found = json.loads(done.stdout)
    checker.counts.update(found["counts"])
    checker.objections += found["objections"]
    return steps


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500, help="combinations to run (default: 500)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--inside", nargs=argparse.REMAINDER, metavar="OPTION",
                        help="for its own use: steps in this allocation, made with these options")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory(dir=".") as folder:
        checker = Checker(folder)
        if options.inside is not None:
            check_steps(checker, rng, options.count, options.inside)
            json.dump({"counts": checker.counts, "objections": checker.objections}, sys.stdout)
            return 0
        while (left := options.count - checker.done()) > 0:
            if rng.random() < 0.12:
                check_alone(checker, rng)
            else:
                allocate(checker, rng.randrange(1 << 30), draw_job(rng), min(left, 6))
    print(f"{checker.done()} combinations, seed {options.seed}: " +
          ", ".join(f"{count} {what}" for what, count in sorted(checker.counts.items())))
    for text in checker.objections:
        print(text)
    return 1 if checker.objections else 0


if __name__ == "__main__":
    sys.exit(main())

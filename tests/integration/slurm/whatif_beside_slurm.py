#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The same jobs through `tofa whatif` and through Slurm itself: who starts at which event, and on which nodes?

    whatif_beside_slurm.py TOFA CLUSTER_SH [--jobs N] [--seed N]        within a cluster of 16 nodes that is up

Jobs come and end when this program says so, in the order that the replay gives, and after each event it waits until Slurm
has gone through its queue, backfilling included. So nothing depends on how fast this machine is: what Slurm decides
follows from the order of events and from time limits, which are hours apart. Prints what differs; ends with 1 if
anything does.
"""
import argparse
import csv
import pathlib
import random
import subprocess
import sys
import tempfile
import time

NODES = 16
PATIENCE = 60  # seconds for an event to take effect
TOPOLOGY = """SwitchName=a Nodes=n[000-003]
SwitchName=b Nodes=n[004-007]
SwitchName=c Nodes=n[008-011]
SwitchName=d Nodes=n[012-015]
SwitchName=ab Switches=a,b
SwitchName=cd Switches=c,d
SwitchName=top Switches=ab,cd
"""


def draw_jobs(seed, count):
    """(submit, nodes, run, limit) of each job. The first fills the machine while two thirds of the others come."""
    source = random.Random(seed)
    limits = source.sample(range(10, 1440, 10), count)
    jobs = [(0, NODES, 50.0, 60 * limits[0])]
    for number in range(1, count):
        submit = number * 0.01 if number < count * 2 / 3 else 55 + source.random() * 60
        jobs.append((round(submit, 3), source.choice((1, 1, 2, 2, 3, 4, 5, 6, 8, 11)), round(source.uniform(4, 30), 3),
                     60 * limits[number]))
    return sorted(jobs)


def replay(tofa, jobs, folder):
    """By job its (start, end, nodes), as tofa says."""
    (folder / "topology.conf").write_text(TOPOLOGY)
    (folder / "jobs.swf").write_text("; MaxNodes: 16\n; MaxProcs: 16\n" + "".join(
        f"{number} {submit} -1 {run} {nodes} -1 -1 {nodes} {limit} -1 1 -1 -1 -1 -1 -1 -1 -1\n"
        for number, (submit, nodes, run, limit) in enumerate(jobs, 1)))
    subprocess.run([tofa, "whatif", "--jobs", folder / "jobs.swf", "--topology", folder / "topology.conf", "--policies",
                    "slurm", "--interval", "0s", "--window", "30d", "--schedule", folder / "schedule.csv"],
                   check=True, stdout=subprocess.DEVNULL)
    with open(folder / "schedule.csv", newline="", encoding="utf-8") as file:
        return {int(row["job"]): (float(row["start"]), float(row["end"]), row["nodes"]) for row in csv.DictReader(file)}


class Slurm:
    """The cluster's queue."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.ids = {}

    def head(self, *words):
        return subprocess.run([self.cluster, "sh", *words], check=True, text=True, capture_output=True, timeout=PATIENCE,
                              stdin=subprocess.DEVNULL).stdout

    def submit(self, number, nodes, limit):
        self.ids[number] = self.head("sbatch", "--parsable", "-J", str(number), "-N", str(nodes), "-t", str(limit // 60),
                                     "-o", "/dev/null", "--wrap", "exec sleep 100000").strip()

    def end(self, number):
        self.head("scancel", self.ids[number])

    def running(self):
        """Nodes by job, completing ones included, which still hold theirs."""
        lines = self.head("squeue", "-h", "-t", "R,CG", "-o", "%j %N").splitlines()
        return {int(name): nodes for name, nodes in (line.split(maxsplit=1) for line in lines)}

    def backfills(self):
        """How often backfilling has gone through the queue."""
        report = self.head("sdiag")
        return int(report.split("Backfilling stats")[1].split("Total cycles:")[1].split()[0])

    def settled(self, expected):
        """What runs, once it is as expected and stays so when backfilling has had its turn."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.running() == expected:
                before = self.backfills()
                turn = time.monotonic() + 5  # with nothing to do it takes no turns
                while self.backfills() == before and time.monotonic() < turn:
                    time.sleep(0.25)
                if self.running() == expected:
                    break
            time.sleep(0.25)
        return self.running()


def events(jobs, planned):
    """(time, submitted, ended) in order."""
    times = {}
    for number, (submit, *_) in enumerate(jobs, 1):
        times.setdefault(submit, ([], []))[0].append(number)
        times.setdefault(planned[number][1], ([], []))[1].append(number)
    return [(at, *times[at]) for at in sorted(times)]


def compare(jobs, planned, slurm):
    wrong = 0
    full = jobs[0][2]
    for at, submitted, ended in events(jobs, planned):
        for number in submitted:
            slurm.submit(number, jobs[number - 1][1], jobs[number - 1][3])
        for number in ended:
            slurm.end(number)
        if 0 < at < full:
            continue  # the machine is full: they all wait
        expected = {number: nodes for number, (start, end, nodes) in planned.items() if start <= at + 5e-4 and end > at + 5e-4}
        found = slurm.settled(expected)
        if found != expected:
            wrong += 1
            print(f"at {at}: replayed {sorted(expected.items())}\n{' ' * len(str(at))}    Slurm    {sorted(found.items())}")
            break  # all that follows would differ
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tofa")
    parser.add_argument("cluster")
    parser.add_argument("--jobs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    jobs = draw_jobs(options.seed, options.jobs)
    with tempfile.TemporaryDirectory() as folder:
        planned = replay(options.tofa, jobs, pathlib.Path(folder))
    waited = sum(planned[number][0] > job[0] + 1e-3 for number, job in enumerate(jobs, 1))
    order = sorted(planned, key=lambda number: planned[number][0])
    ahead = sum(number > min(order[place:]) for place, number in enumerate(order))
    if waited < options.jobs / 2 or ahead < 5:
        sys.exit(f"these jobs try nothing: {waited} wait, {ahead} overtake")
    wrong = compare(jobs, planned, Slurm(options.cluster))
    if not wrong:
        print(f"{options.jobs} jobs, of which {waited} waited and {ahead} overtook another: started at the same events on the "
              "same nodes")
    sys.exit(1 if wrong else 0)


main()

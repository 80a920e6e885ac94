# SPDX-License-Identifier: BSD-3-Clause
"""Running a mapper as a program of its own, and what its answer is worth.

Every mapper reads its files and writes a mapping, so times include both. Time and peak memory are the kernel's own
figures for the process.
"""
import itertools
import json
import math
import os
import pathlib
import subprocess
import threading
import time

import cases

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOFA = ROOT / "build" / "bin" / "tofa"
METIS = ROOT / "build" / "bench" / "metis-map"
# 64-bit integers: with 32 bits Scotch's sums overflow on real traffic.
GMAP = "scotch_gmap-int64"
AMK_GRF = "amk_grf-int64"
MOST_COMPLETE = 512  # nodes; the complete graph grows with their square


class Files:
    """The inputs of one case, in each mapper's own format."""

    def __init__(self, case, folder, graph, topology):
        self.case = case
        self.folder = folder
        self.graph = graph
        self.topology = topology
        self.scotch_graph = folder / "graph.grf"
        self.answer = folder / "answer"
        self.hosts = folder / "hosts"
        self.width = len(str(math.prod(case.torus) - 1))

    @classmethod
    def of_case(cls, name, folder):
        subprocess.run(["python3", ROOT / "bench" / "cases.py", name, folder], check=True)
        files = cls(cases.find(name), folder, folder / f"{name}.bytes.mtx", folder / f"{name}.toml")
        subprocess.run([TOFA, "graph", "convert", files.graph, "-o", files.scotch_graph], check=True)
        return files

    def host(self, terminal):
        return f"n{terminal:0{self.width}}"

    def target(self, text):
        path = self.folder / "scotch.tgt"
        path.write_text(text, "ascii")
        return path

    def torus_target(self):
        return self.target(torus_text(self.case.torus))

    def box_target(self):
        """A compact block of the machine, as a scheduler that knows the network would give it."""
        inside = compact_block(self.case)
        return self.target(f"sub {len(inside)} {' '.join(map(str, inside))}\n{torus_text(self.case.torus)}")

    def complete_target(self):
        """The papers' way: a complete graph of the nodes whose edges weigh what the routes cost."""
        at = [position(node, self.case.torus) for node in range(math.prod(self.case.torus))]
        cost = [[hops(here, there, self.case.torus) for there in at] for here in at]
        return decomposed(self.folder, "complete", cost)

    def remove(self):
        for path in self.folder.iterdir():
            path.unlink()


def decomposed(folder, name, cost):
    """The target that Scotch makes of a complete graph by cutting it in halves: cost[a][b] between nodes a and b."""
    nodes = len(cost)
    lines = ["0", f"{nodes} {nodes * (nodes - 1)}", "0 010"]
    for node, row in enumerate(cost):
        edges = (f"{weight} {other}" for other, weight in enumerate(row) if other != node)
        lines.append(f"{nodes - 1} {' '.join(edges)}")
    source, target = folder / f"{name}.grf", folder / f"{name}.tgt"
    source.write_text("\n".join(lines) + "\n", "ascii")
    subprocess.run([AMK_GRF, source, target], check=True)
    return target


def torus_text(shape):
    return f"torus{len(shape)}D {' '.join(map(str, shape))}\n"


def position(node, shape):
    at = []
    for extent in shape:
        node, here = divmod(node, extent)
        at.append(here)
    return at


def hops(a, b, shape):
    return sum(min(abs(x - y), extent - abs(x - y)) for x, y, extent in zip(a, b, shape))


def compact_block(case):
    extents = list(case.torus)
    while True:
        longest = extents.index(max(extents))
        smaller = extents[:longest] + [extents[longest] - 1] + extents[longest + 1:]
        if math.prod(smaller) * case.slots < case.ranks:
            break
        extents = smaller
    ranges = [range(extent) for extent in reversed(extents)]
    strides = [math.prod(case.torus[:d]) for d in range(len(case.torus))]
    return [sum(x * s for x, s in zip(reversed(at), strides)) for at in itertools.product(*ranges)]


class Run:
    """What a process took. `failed` is None when it ended well, otherwise a word for why not."""

    def __init__(self, command, seconds_allowed, output=None):
        begin = time.monotonic()
        with open(output or os.devnull, "wb") as out:
            process = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE)
        watch = threading.Timer(seconds_allowed, process.kill)
        watch.start()
        messages = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        watch.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        self.seconds = time.monotonic() - begin
        self.processor_seconds = usage.ru_utime + usage.ru_stime
        self.megabytes = usage.ru_maxrss / 1024
        self.failed = None
        if process.returncode == -9 and self.seconds >= seconds_allowed:
            self.failed = f"> {seconds_allowed:.0f} s"
        elif process.returncode != 0:
            self.failed = "failed"
            print(f"{' '.join(map(str, command))}: {messages.decode(errors='replace').strip()}")


def tofa(*options):
    def run(files, allowed):
        command = [TOFA, "map", "--graph", files.graph, "--topology", files.topology, "-o", files.hosts]
        return Run(command + ["--slots", str(files.case.slots), *options], allowed)

    return run


def auto(seconds, *options):
    return tofa("--mapper", "auto", "--time-limit", str(seconds), *options)


def metis(files, allowed):
    return Run([METIS, files.graph, files.topology, str(files.case.slots)], allowed, files.hosts)


def scotch(make_target, *options):
    """Scotch's own program. Making the target is not timed: a site makes it once."""

    def run(files, allowed):
        target = make_target(files)
        result = Run([GMAP, *options, files.scotch_graph, target, files.answer], allowed)
        if not result.failed:
            write_hosts(files)
        return result

    return run


def write_hosts(files):
    """Scotch's answer as a hostfile. Ranks beyond a node's slots move to the nearest free ones."""
    case = files.case
    lines = files.answer.read_text("ascii").split("\n")[1:]
    terminals = [0] * case.ranks
    for line in filter(None, lines):
        rank, terminal = line.split()
        terminals[int(rank)] = int(terminal)
    free = [case.slots] * math.prod(case.torus)
    homeless = []
    for rank, terminal in enumerate(terminals):
        if free[terminal] > 0:
            free[terminal] -= 1
        else:
            homeless.append(rank)
    steps = sorted(itertools.product(*[range(-(n // 2), n - n // 2) for n in case.torus]), key=lambda s: sum(map(abs, s)))
    strides = [math.prod(case.torus[:d]) for d in range(len(case.torus))]
    for rank in homeless:
        at = position(terminals[rank], case.torus)
        for step in steps:
            there = sum((x + s) % n * stride for x, s, n, stride in zip(at, step, case.torus, strides))
            if free[there] > 0:
                free[there] -= 1
                terminals[rank] = there
                break
    files.hosts.write_text("".join(files.host(terminal) + "\n" for terminal in terminals), "ascii")


def worth(files):
    """Metrics of the hostfile, by tofa evaluate."""
    command = [TOFA, "evaluate", "--graph", files.graph, "--topology", files.topology, "--mapping", files.hosts, "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

# SPDX-License-Identifier: BSD-3-Clause
"""What measurements are made with: machines, programs, their traffic, the ways to place ranks, and SimGrid. Files are kept in
a folder and made when they are first asked for."""
import contextlib
import fcntl
import json
import math
import os
import pathlib
import random
import subprocess
import tempfile
import types

import measure

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TOFA_BUILD", ROOT / "build")).resolve()
TOFA = BUILD / "bin" / "tofa"
PROGRAMS = BUILD / "simulation"
SOURCES = ROOT / "bench" / "simulation"
FIXTURES = ROOT / "tests" / "fixtures" / "cases"
CUBE = (8, 8, 8)
# Of any program that is run here; the longest takes seconds on an idle core.
SECONDS_ALLOWED = 1800

# How programs are called; what stands behind the ranks' number in a program's name is an argument.
COMMANDS = {
    "broadcast": ["broadcast"],
    "cg": ["cg", "-i", "8"],
    "dt": ["dt"],
    "hpl": ["hpl", "-i", "24"],
    "is": ["is"],
    "lammps": ["lammps", "-i", "1"],
}
DEFAULT_ARGUMENTS = {"dt": ["black-hole"], "lammps": ["binomial"], "broadcast": ["binomial"]}

# The publications' names of placements, and what makes them here: "random" on the nodes that are first in list order. "scotch" is
# made by SCOTCH's own programs.
WAYS = {
    "random": ["--mapper", "random"],
    "greedy": ["--mapper", "greedy"],
    "published": ["--mapper", "tofa"],
    "tofa": [],
}


class Failed(Exception):
    """A measurement that did not come about, and why."""


def run(command, allowed=SECONDS_ALLOWED):
    """Answers (exit status, output, messages)."""
    try:
        done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=allowed, check=False)
    except subprocess.TimeoutExpired as late:
        raise Failed(f"{pathlib.Path(command[0]).name} took more than {allowed} s") from late
    return done.returncode, done.stdout, done.stderr


def run_well(command):
    status, output, messages = run(command)
    if status != 0:
        raise Failed(f"{' '.join(map(str, command))}: ends with {status}: {messages.strip()[:400]}")
    return output


def release(*command):
    """What a program says of its version; "none" when it is not there."""
    try:
        _, output, messages = run(command)
    except OSError:
        return "none"
    return output + messages


def parse(program):
    """cg-64-D is program cg on 64 ranks with argument D; commas part several."""
    name, ranks, *rest = program.split("-", 2)
    return name, int(ranks), rest[0].split(",") if rest else DEFAULT_ARGUMENTS.get(name, [])


def ranks_of(program):
    return parse(program)[1]


class Case(measure.Files):
    """The files of one placement, as those who measure mappers have them; it has a folder of its own."""

    def __init__(self, graph, ranks, shape, folder):
        super().__init__(types.SimpleNamespace(ranks=ranks, torus=shape, slots=1), folder, graph, folder / "topology.toml")
        make_torus(shape, folder)
        self.width = 0  # n0, n1, ..., as SimGrid has them
        self.platform = folder / "platform.xml"


def make_torus(shape, folder):
    run_well([SOURCES / "torus.sh", ",".join(map(str, shape)), folder])


class Lab:
    """`fingerprint` is of all that measures: traffic and targets that others made are not used."""

    def __init__(self, folder, fingerprint):
        self.folder = pathlib.Path(folder)
        self.profiles = self.folder / "traffic" / fingerprint
        self.targets = self.folder / "targets" / fingerprint
        for path in (self.profiles, self.targets, self.folder / "scratch"):
            path.mkdir(parents=True, exist_ok=True)

    def once(self, path, make):
        """Makes a file unless it is there, one maker at a time among all processes: make(path to write)."""
        if not path.exists():
            with open(path.with_suffix(".lock"), "w", encoding="ascii") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not path.exists():
                    new = path.with_suffix(".new")
                    make(new)
                    if not new.exists():
                        raise Failed(f"{path.name} was not made")
                    new.replace(path)
        return path

    @contextlib.contextmanager
    def alone(self):
        """One process at a time builds."""
        with open(self.folder / "lock", "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def scratch(self):
        return tempfile.TemporaryDirectory(dir=self.folder / "scratch")

    def traffic(self, program, criterion="bytes"):
        """The profile of a program, or the recorded one of that name in the tests' fixtures."""
        if program.startswith("fixture:"):
            return FIXTURES / f"{program.removeprefix('fixture:')}.bytes.mtx"
        option = {"bytes": "-o", "messages": "-m"}[criterion]

        def make(path):
            with self.scratch() as scratch:
                hosts = write_linear(pathlib.Path(scratch) / "hosts", ranks_of(program))
                make_torus(CUBE, scratch)
                simulate(program, hosts, pathlib.Path(scratch) / "platform.xml", [option, path])

        return self.once(self.profiles / f"{program}.{criterion}.mtx", make)

    def complete_target(self, case):
        """SCOTCH's target of a torus as the publications made it; large, and the same for all programs."""

        def make(path):
            with self.scratch() as scratch:
                Case(case.graph, case.case.ranks, case.case.torus, pathlib.Path(scratch)).complete_target().replace(path)

        return self.once(self.targets / f"{'x'.join(map(str, case.case.torus))}.tgt", make)

    def case(self, graph, ranks, shape, scratch):
        return Case(graph, ranks, shape, pathlib.Path(scratch))

    def place(self, case, way, seed=1, options=()):
        """Writes case.hosts."""
        if way == "default":
            write_linear(case.hosts, case.case.ranks)
        elif way == "scotch":
            make_scotch_graph(case)
            place_by_scotch(case, self.complete_target(case))
        else:
            if way == "random":
                options = [*options, "--nodes", f"n[0-{case.case.ranks - 1}]"]
            run_well([*map_command(case, way), "--seed", seed, *options])


def map_command(case, way):
    return [TOFA, "map", "--quiet", "--graph", case.graph, "--topology", case.topology, "-o", case.hosts, *WAYS[way]]


def make_scotch_graph(case):
    run_well([TOFA, "graph", "convert", case.graph, "-o", case.scotch_graph])


def place_by_scotch(case, target):
    result = measure.scotch(lambda _: target)(case, SECONDS_ALLOWED)
    if result.failed:
        raise Failed(f"SCOTCH's program {measure.GMAP}: {result.failed}")


def write_linear(path, ranks):
    path.write_text("".join(f"n{node}\n" for node in range(ranks)), "ascii")
    return path


def worth(case, options=()):
    """Metrics of case.hosts."""
    return json.loads(run_well([TOFA, "evaluate", "--graph", case.graph, "--topology", case.topology, "--mapping", case.hosts,
                                "--json", *options]))


def simulation(program, hosts, platform, options):
    name, ranks, arguments = parse(program)
    binary, *fixed = COMMANDS[name]
    # The programs have no mutable global variables, so that ranks need no private copies of them.
    return ["smpirun", "-no-privatize", "-platform", platform, "-hostfile", hosts, "-np", ranks,
            "--cfg=smpi/simulate-computation:no", "--log=root.thresh:warning", PROGRAMS / binary, *fixed, *options, *arguments]


def simulate(program, hosts, platform, options=()):
    """Seconds that SimGrid says a program takes."""
    output = run_well(simulation(program, hosts, platform, options))
    try:
        return float(output)
    except ValueError as error:
        raise Failed(f"{program} did not print its time but: {output[:200]}") from error


def survives(case, program, failed_nodes):
    """Whether a program ends well while these nodes are off from its start, with all their links."""
    path = case.folder / "failures"
    off = [f"link {link}" for link in links_of(failed_nodes, case.case.torus)] + [f"host n{node}" for node in failed_nodes]
    path.write_text("".join(f"{line}\n" for line in off), "ascii")
    _, output, messages = run(simulation(program, case.hosts, case.platform, ["-x", path]))
    if "cannot turn off" in messages:
        raise Failed(f"no failures were simulated: {messages.strip()[:400]}")
    return output.split() == ["done"] * case.case.ranks


def links_of(nodes, shape):
    """SimGrid's names of the links that end at any of these nodes, each once: it has a cable from a node upwards in each
    dimension, and of a cable both directions."""
    names = {}
    for node in nodes:
        for d, here in enumerate(measure.position(node, shape)):
            stride = math.prod(shape[:d])
            lower, upper = (node + ((here + step) % shape[d] - here) * stride for step in (-1, 1))
            for cable in ((lower, node), (node, upper)):
                for way in ("UP", "DOWN"):
                    names[f"torus_link_from_{cable[0]}_to_{cable[1]}_{way}"] = True
    return list(names)


def drawn(key, faulty, nodes):
    """Which nodes may fail in a batch: the same for all placements."""
    return sorted(random.Random(key).sample(range(nodes), faulty))

# SPDX-License-Identifier: BSD-3-Clause
"""What a cell measures, a function for each kind. Everything random is drawn from what the cell says."""
import functools
import hashlib
import json
import math
import pathlib
import random

import cases
import lab
import measure
import routes


def shape_of(cell):
    return tuple(map(int, cell["shape"].split("x")))


def measure_run(cell, work):
    """A program under a placement: what the placement is worth, and how long SimGrid says it takes. The profile is another
    program's where `profile` names one; `criterion` is what the graph counts; `parts` asks what the ranks' time went to."""
    program, shape = cell["program"], shape_of(cell)
    graph = work.traffic(program)
    with work.scratch() as scratch:
        recorded = program.startswith("fixture:")
        case = work.case(work.traffic(cell["profile"], cell["criterion"]), ranks_in(graph), shape, scratch)
        work.place(case, cell["way"], cell["seed"])
        hosts = case.hosts.read_text("ascii")
        case.graph = graph
        metrics = lab.worth(case)
        result = {"hops_per_byte": metrics["average_hops_per_byte"], "max_link_load": metrics["max_link_load"],
                  "hosts": hashlib.sha256(hosts.encode()).hexdigest()[:16], "phases": broadcast_phases(hosts.split(), shape)}
        if not recorded:
            result["seconds"] = lab.simulate(program, case.hosts, case.platform)
        if cell["parts"]:
            times = pathlib.Path(scratch) / "times"
            lab.simulate(program, case.hosts, case.platform, ["-t", times])
            result["times"] = json.loads(times.read_text("ascii"))
        return result


def measure_shared_cables(cell, work):
    """Seconds where both directions of a cable share its bandwidth."""
    program = cell["program"]
    with work.scratch() as scratch:
        case = work.case(work.traffic(program), lab.ranks_of(program), lab.CUBE, scratch)
        work.place(case, cell["way"])
        case.platform.write_text(case.platform.read_text("ascii").replace("SPLITDUPLEX", "SHARED"), "ascii")
        return {"seconds": lab.simulate(program, case.hosts, case.platform)}


def ranks_in(graph):
    with open(graph, encoding="ascii") as lines:
        return int(next(line for line in lines if not line.startswith("%")).split()[0])


def broadcast_phases(hosts, shape):
    """Hops from rank 0 to its partner in each phase of a binomial broadcast, the far half first."""
    at = [measure.position(int(host[1:]), shape) for host in hosts]
    partners = [1 << bit for bit in reversed(range((len(at) - 1).bit_length()))]
    return [measure.hops(at[0], at[partner], shape) for partner in partners]


def measure_routes(cell, work):
    """Whether tofa and SimGrid route alike between all pairs of nodes of a torus."""
    with work.scratch() as scratch:
        lab.make_torus(shape_of(cell), scratch)
        folder = pathlib.Path(scratch)
        lab.run_well([lab.PROGRAMS / "check_routes", folder / "platform.xml", folder / "topology.toml"])
        return {"alike": True}


class Batch:
    """Nodes that may fail, and a placement that knows of them."""

    def __init__(self, cell, work, scratch):
        self.program = cell["program"]
        self.chance = cell["chance"] / 100
        self.key = f"{cell['faulty']}-{cell['chance']}-{cell['batch']}"
        self.case = work.case(work.traffic(self.program), lab.ranks_of(self.program), lab.CUBE, scratch)
        self.suspects = lab.drawn(self.key, cell["faulty"], math.prod(lab.CUBE))
        self.outages = self.write_outages(self.suspects)

    def write_outages(self, nodes):
        path = self.case.folder / f"outages-{len(nodes)}"
        path.write_text("".join(f"n{node} {self.chance}\n" for node in nodes), "ascii")
        return path

    def place(self, work, way):
        way, _, cost = way.partition(":")
        options = ["--outages", self.outages] if way in ("published", "tofa") else []
        work.place(self.case, way, options=options + (["--abort-cost", cost] if cost else []))

    def worth(self):
        return lab.worth(self.case, ["--outages", self.outages])

    def needed(self):
        """The suspects without which the job dies: they hold a rank or forward its traffic."""
        return {node for node in self.suspects
                if lab.worth(self.case, ["--outages", self.write_outages([node])])["abort_probability"] > 0}

    def failing(self, *which):
        """The nodes that fail in a run: the same for all placements."""
        dice = random.Random(f"{self.key}-{which}")
        return [node for node in self.suspects if dice.random() < self.chance]

    def result(self):
        metrics = self.worth()
        return {"seconds": lab.simulate(self.program, self.case.hosts, self.case.platform),
                "abort_probability": metrics["abort_probability"], "hops_per_byte": metrics["average_hops_per_byte"]}


def measure_batch(cell, work):
    """A batch of jobs, each run again until it is not aborted; an aborted run costs the time of a whole one."""
    with work.scratch() as scratch:
        batch = Batch(cell, work, scratch)
        batch.place(work, cell["way"])
        needed = batch.needed()
        aborted = 0
        for instance in range(cell["instances"]):
            attempt = 0
            while needed.intersection(batch.failing(instance, attempt)):
                attempt += 1
            aborted += attempt
        result = batch.result()
        runs = cell["instances"] + aborted
        return {**result, "aborted": aborted, "runs": runs, "batch_seconds": runs * result["seconds"], "needed": len(needed)}


def measure_failures(cell, work):
    """Links and hosts that really fail in the simulation: does the program die exactly when the rule says so?"""
    with work.scratch() as scratch:
        batch = Batch(cell, work, scratch)
        batch.place(work, cell["way"])
        needed = batch.needed()
        dice = random.Random(f"sample-{batch.key}")
        # As far as there are both, every other draw has a node that is needed, and the others have none.
        sides = [side for side in (sorted(needed), sorted(set(batch.suspects) - needed)) if side]
        differ = []
        died = 0
        for draw in range(cell["draws"]):
            side = sides[draw % len(sides)]
            off = dice.sample(side, min(len(side), dice.choice((1, 2))))
            dies = not lab.survives(batch.case, batch.program, off)
            died += dies
            if dies != bool(needed.intersection(off)):
                differ.append(off)
        return {"draws": cell["draws"], "died": died, "differ": differ}


def measure_factor(cell, work):
    """The published method with another factor in equation 1, by SCOTCH's own programs."""
    with work.scratch() as scratch:
        batch = Batch(cell, work, scratch)
        case = batch.case
        nodes = routes.first_run(batch.suspects, case.case.ranks, math.prod(lab.CUBE))
        lab.make_scotch_graph(case)
        cost = routes.equation_1(nodes, lab.CUBE, batch.suspects, cell["factor"])
        # SCOTCH numbers the nodes of the target; nodes of a run are consecutive.
        case.host = lambda terminal: f"n{nodes[terminal]}"
        case.case.torus = lab.CUBE if len(nodes) == math.prod(lab.CUBE) else (len(nodes),)
        lab.place_by_scotch(case, measure.decomposed(case.folder, "weighted", cost))
        return {**batch.result(), "run_found": len(nodes) == case.case.ranks}


def measure_mapping_time(cell, work):
    """Seconds to map irregular traffic, reading and writing included; those of the processors, of all threads."""
    ranks = cell["ranks"]
    shape = shape_of(cell)

    def make(path):
        cases.write_graph(cases.geometric(ranks, ranks), ranks, path)

    graph = work.once(work.profiles / f"geometric-{ranks}.mtx", make)
    with work.scratch() as scratch:
        case = work.case(graph, ranks, shape, scratch)
        if cell["way"] == "scotch":
            lab.make_scotch_graph(case)
            mapper = measure.scotch(measure.Files.torus_target)
        elif cell["way"] == "scotch, complete":
            lab.make_scotch_graph(case)
            mapper = measure.scotch(lambda _: work.complete_target(case))
        else:
            mapper = functools.partial(run_mapper, cell["way"])
        result = mapper(case, lab.SECONDS_ALLOWED)
        if result.failed:
            raise lab.Failed(f"{cell['way']}: {result.failed}")
        return {"seconds": result.processor_seconds, "megabytes": result.megabytes,
                "hops_per_byte": lab.worth(case)["average_hops_per_byte"], "cut_off": was_cut_off(case)}


def run_mapper(way, case, allowed):
    return measure.Run([*lab.map_command(case, way), "--format", "json"], allowed)


def was_cut_off(case):
    """Whether tofa says that the limit ended its search."""
    text = case.hosts.read_text("ascii")
    return text.startswith("{") and json.loads(text)["out_of_time"]


def measure_matrix(cell, work):
    """Who exchanged how much with whom: entries of the matrix as the publications print it, both directions together."""
    matrix = {}
    for line in work.traffic(cell["program"], cell["criterion"]).read_text("ascii").splitlines()[3:]:
        source, target, amount = map(int, line.split())
        for pair in ((source - 1, target - 1), (target - 1, source - 1)):
            matrix[pair] = matrix.get(pair, 0) + amount
    return {"ranks": lab.ranks_of(cell["program"]), "entries": [[*pair, amount] for pair, amount in sorted(matrix.items())]}


def measure_heatmap(cell, work):
    with work.scratch() as scratch:
        picture = pathlib.Path(scratch) / "heatmap.svg"
        lab.run_well([lab.TOFA, "heatmap", "--graph", work.traffic(cell["program"]), "-o", picture])
        return {"svg": picture.read_text(encoding="utf-8")}


KINDS = {
    "run": measure_run,
    "shared-cables": measure_shared_cables,
    "routes": measure_routes,
    "batch": measure_batch,
    "failures": measure_failures,
    "factor": measure_factor,
    "mapping-time": measure_mapping_time,
    "matrix": measure_matrix,
    "heatmap": measure_heatmap,
}

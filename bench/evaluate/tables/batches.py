# SPDX-License-Identifier: BSD-3-Clause
"""Batches of jobs on nodes that fail: paper Figures 4 and 5, thesis Figures 6.14 to 6.17, Table 6.8."""
import functools

import cells as measured
import charts
from item import Item, Shown, Table, less, mean, number, percent
from tables.run_times import with_computation

WAYS = {"default": "list order", "published": "TOFA as published", "tofa": "tofa"}
# Name, program, nodes that may fail, their chance in percent, what covers it; published: abort ratio in list order and under TOFA,
# and by how much TOFA's batches are shorter.
BATCHES = (
    ("batches-cg", "cg-64", 8, 5, ("figure-6.14",), 0.05, 0, 0.30),
    ("batches-hpl", "hpl-64", 8, 5, ("figure-6.15",), 0.103, 0, 0.10),
    ("batches-dt", "dt-85-white-hole", 16, 2, ("paper-figure-4", "figure-6.16"), 0.074, 0.02, 0.31),
    ("batches-lammps-8", "lammps-64", 8, 2, ("paper-figure-5a",), None, 0, 0.175),
    ("batches-lammps-16", "lammps-64", 16, 2, ("paper-figure-5b", "figure-6.17"), 0.04, 0.011, 0.189),
)
# Table 6.8: ranks and the abort ratios in list order and under TOFA.
BY_RANKS = {32: (0.004, 0.0), 64: (0.014, 0.0), 128: (0.024, 0.005), 256: (0.056, 0.031)}


def batch(form, program, faulty, chance, number_, way):
    return measured.cell("batch", program=program, faulty=faulty, chance=chance, batch=number_, way=way, instances=form.instances)


def sample(form, program, faulty, chance, way):
    return measured.cell("failures", program=program, faulty=faulty, chance=chance, batch=1, way=way, draws=form.draws)


def all_of(form, program, faulty, chance, way):
    return [batch(form, program, faulty, chance, one, way) for one in range(1, form.batches + 1)]


def cells_of(program, faulty, chance, form):
    return [one for way in WAYS
            for one in [*all_of(form, program, faulty, chance, way), sample(form, program, faulty, chance, way)]]


def abort_ratio(found):
    found = [one for one in found if one is not None]
    return sum(one["aborted"] for one in found) / sum(one["runs"] for one in found) if found else None


def relative(program, found, base):
    """The batch's time over that of a batch in list order without failures, with the published share of computation."""
    if found is None or base is None:
        return None
    return found["runs"] / 100 * with_computation(program, found["seconds"] / base["seconds"])


def show_batches(setting, published, form, result):
    program, faulty, chance = setting
    found = {way: [result(one) for one in all_of(form, program, faulty, chance, way)] for way in WAYS}
    base = found["default"][0]
    times = {way: [relative(program, one, base) for one in found[way]] for way in WAYS}
    means = {way: mean([{"time": time} for time in times[way] if time is not None], "time") for way in WAYS}
    alone = {way: mean(found[way], "batch_seconds") for way in WAYS}
    ratios = {"default": published[0], "published": published[1]}
    rows, wrong = [], []
    for way, title in WAYS.items():
        was = percent(ratios[way]) if ratios.get(way) is not None else "-"
        agreed = sample_words(result(sample(form, program, faulty, chance, way)), title, wrong)
        rows.append([title, was, percent(abort_ratio(found[way])), percent(mean(found[way], "abort_probability")),
                     "" if way == "default" else percent(less(means[way], means["default"])),
                     "" if way == "default" else percent(less(alone[way], alone["default"])), agreed])
    picture = charts.bars([str(one) for one in range(1, form.batches + 1)], {WAYS[way]: times[way] for way in WAYS}, "batch",
                          "time of the batch over one in list order without failures")
    header = ["placement", "aborted, published", "aborted, here", "abort probability", "shorter batches", "communication alone",
              "simulated failures"]
    if published[2] is not None:
        rows[1][4] = f"{percent(published[2])} / {rows[1][4]}"
        header[4] = "shorter batches, published / here"
    return Shown([Table(header, rows)], [(f"{program}: {faulty} nodes that fail in {chance} % of the runs", picture)], wrong)


def sample_words(found, title, wrong):
    if found is None:
        return "-"
    if found["differ"]:
        wrong.append(f"{title}: the simulation does not agree where these nodes fail: {found['differ']}")
    return f"{found['draws'] - len(found['differ'])} of {found['draws']} agree, {found['died']} died"


WHY = {
    "batches-cg": "Aborts agree in list order and under TOFA as published. Its batches gain less than was published, though its "
    "run times agree (*Run times*): there ranks are on the first nodes, a plane of the torus, while the fault-free run of "
    "most batches starts within a plane and ends in the next. tofa's batches gain more.",
    "batches-hpl": "Aborts in list order are those of NPB CG, since both use the same 64 nodes and of eight nodes that fail one is "
    "expected among them: 5 %. The published 10.3 % is twice that, by the luck of ten draws. HPL computes for nearly "
    "all of its time, so that batches are shorter by about the aborts.",
    "batches-dt": "Under TOFA few runs are aborted, as published: here those of batches without a run of fault-free nodes. Of 16 nodes 2.7 "
    "are expected among 85, so that 5 % of the runs in list order should be aborted; the published 7.4 % are more, which "
    "ten draws may give. The batches gain less than published, as the run times do (*Run times*): communication alone "
    "gains about what was published for the whole, of which it is only a quarter.",
    "batches-lammps-8": "tofa does what was published of TOFA: no aborts, and batches nearly as much shorter. The method as published does "
    "not: a run of 64 fault-free nodes that starts anywhere lies across the planes of the torus, and the routes "
    "within it leave it, over nodes that fail; LAMMPS has many, since it sums over all ranks and transposes. "
    "Published was that no run was aborted as soon as 64 consecutive nodes were found. Here nodes that are off in the "
    "simulation end such runs, every time that the rule says so.",
    "batches-lammps-16": "As with 8 nodes: tofa shortens the batches as was published of TOFA, and finds ways round all nodes that fail; "
    "the first fault-free run of the published method does not help LAMMPS, whose routes leave it, nor its "
    "communication, since the run starts anywhere in a plane.",
}
METHOD = (
    "Nodes are drawn as published (`bench/evaluate/README.md`). Batches with the published share of computation, as in the run "
    "times; beside that the communication alone. Simulated failures: nodes that are off, with their links, in SimGrid."
)


def batch_item(name, program, faulty, chance, covers, default_aborts, tofa_aborts, shorter):
    words = {"cg": "NPB CG C", "hpl": "HPL", "dt": "NPB DT C", "lammps": "LAMMPS"}[program.split("-")[0]]
    was = "" if default_aborts is None else f"{percent(default_aborts)} of the runs aborted in list order and "
    return Item(
        name=name,
        title=f"Batches of {words} on {program.split('-')[1]} ranks, {faulty} nodes that fail in {chance} % of the runs",
        covers=covers,
        published=f"{was}{percent(tofa_aborts)} under TOFA; batches {percent(shorter)} shorter.",
        method=METHOD,
        why=WHY[name],
        cells=functools.partial(cells_of, program, faulty, chance),
        show=functools.partial(show_batches, (program, faulty, chance), (default_aborts, tofa_aborts, shorter)),
    )


def cells_by_ranks(form):
    return [one for ranks in BY_RANKS for way in WAYS for one in all_of(form, f"cg-{ranks}", 8, 1, way)]


def show_by_ranks(form, result):
    rows = []
    series = {title: [] for title in WAYS.values()}
    for ranks, published in BY_RANKS.items():
        row = [str(ranks)]
        for way, was in (("default", published[0]), ("published", published[1]), ("tofa", None)):
            found = [result(one) for one in all_of(form, f"cg-{ranks}", 8, 1, way)]
            expected = mean(found, "abort_probability")
            series[WAYS[way]].append(None if expected is None else 100 * expected)
            row.append(f"{'' if was is None else percent(was) + ' / '}{percent(abort_ratio(found))} ({percent(expected, 2)})")
        rows.append(row)
    picture = charts.bars(list(map(str, BY_RANKS)), series, "ranks of CG", "abort probability in %, mean of the batches")
    return Shown([Table(["ranks; aborted, published / here (probability)", *WAYS.values()], rows)], [("Aborts by ranks", picture)])


BY_RANKS_ITEM = Item(
    name="aborts",
    title="Aborts of CG by ranks, 8 nodes that fail in 1 % of the runs",
    covers=("table-6.8",),
    published="List order 0.4, 1.4, 2.4 and 5.6 % on 32 to 256 ranks, TOFA 0, 0, 0.5 and 3.1 %.",
    method="As above; beside what was drawn, the probability that was computed, which has no chance in it.",
    why="List order agrees, and TOFA on 32 and 64 ranks. On 128 some batches have no run of fault-free nodes, on 256 none has "
    "one; then SCOTCH places on the whole machine, with equation 1. On 256 ranks it needs no fewer of the nodes that fail "
    "than list order does, where the published one had fewer aborts. tofa gets by without any of them: there is room for "
    "that with 256 ranks on 512 nodes.",
    cells=cells_by_ranks,
    show=show_by_ranks,
)
BATCH_ITEMS = [batch_item(*one) for one in BATCHES]

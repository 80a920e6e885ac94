#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Mappers against each other: hops per byte, busiest link, time and memory.

    compare.py quality|race|scaling [--quick] FOLDER

`quality` runs every mapper on every case. `race` asks how soon answers are how good: tofa with one limit after the
other, beside SCOTCH and METIS, which take what they take. `scaling` asks the same from 512 ranks to a million: how soon
tofa is as good as the better of both, and what it comes to. Leaves a table of all runs (.tsv), one to read (.md) and a
picture (.svg) in FOLDER.
"""
import math
import pathlib
import statistics
import sys
import tempfile

import cases
import measure
import plot

SECONDS_ALLOWED = 60

# Under completion-time tofa gives away some hops for less loaded links; for hops per byte it is asked for those.
HOP_BYTES = ("--objective", "hop-bytes")
MAPPERS = {
    "linear": measure.tofa("--mapper", "linear"),
    "random": measure.tofa("--mapper", "random"),
    "greedy": measure.tofa("--mapper", "greedy"),
    "METIS": measure.metis,
    "Scotch": measure.scotch(measure.Files.torus_target),
    "Scotch, quality": measure.scotch(measure.Files.torus_target, "-cqb", "-b0.001"),
    "Scotch, block": measure.scotch(measure.Files.box_target, "-cqb", "-b0.001"),
    "Scotch, complete": measure.scotch(measure.Files.complete_target),
    "tofa 0.1 s": measure.auto(0.1, *HOP_BYTES),
    "tofa": measure.tofa("--mapper", "auto", *HOP_BYTES),
    "tofa thorough": measure.auto(30, "--effort", "thorough", *HOP_BYTES),
    "tofa default": measure.tofa("--mapper", "auto"),
}
QUICK_LEAVES_OUT = {"Scotch, complete", "tofa thorough"}

OTHERS = {name: MAPPERS[name] for name in ("METIS", "Scotch", "Scotch, quality")}
LIMITS = (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
RACES = ("cg256", "rgg512", "rgg512@4x8x16", "rgg2048x4", "grid:4096", "shuffled:4096", "geometric:4096", "geometric:16384",
         "geometric:131072")
SCALING = ("METIS", "Scotch")
LIMITS_OF_SCALING = (0.03, 0.1, 0.3, 1, 3, 10)
SIZES = {
    "grid": [512, 4096, 32768, 262144, 1000000],
    "shuffled": [512, 4096, 32768, 262144, 1000000],
    "geometric": [512, 4096, 16384, 131072],
}
ABOUT = {"grid": "2D stencil, in order", "shuffled": "3D stencil, shuffled", "geometric": "random geometric"}
COLUMNS = ["case", "ranks", "mapper", "hops_per_byte", "max_link_load", "seconds", "megabytes", "failed"]


def run_one(files, mapper, name, ranks, case_name):
    result = mapper(files, SECONDS_ALLOWED)
    row = {
        "case": case_name,
        "ranks": ranks,
        "mapper": name,
        "hops_per_byte": math.nan,
        "max_link_load": math.nan,
        "seconds": result.seconds,
        "megabytes": result.megabytes,
        "failed": result.failed or "",
    }
    if not result.failed:
        metrics = measure.worth(files)
        row["hops_per_byte"] = metrics["average_hops_per_byte"]
        row["max_link_load"] = metrics["max_link_load"]
    print(f"{case_name:20}{name:18}{row['hops_per_byte']:8.3f} hops/byte {row['seconds']:8.2f} s"
          f"{row['megabytes']:8.0f} MB {row['failed']}", flush=True)
    return row


def fits(mapper_name, files):
    """Whether a mapper can be asked to do this case at all."""
    if mapper_name == "Scotch, complete":
        return math.prod(files.case.torus) <= measure.MOST_COMPLETE
    return True


def write_tsv(rows, path):
    with open(path, "w", encoding="utf-8") as out:
        print(*COLUMNS, sep="\t", file=out)
        for row in rows:
            print(*[f"{row[c]:.6g}" if isinstance(row[c], float) else row[c] for c in COLUMNS], sep="\t", file=out)


def markdown(header, lines):
    table = ["| " + " | ".join(header) + " |", "|---|" + "---:|" * (len(header) - 1)]
    return "\n".join(table + ["| " + " | ".join(line) + " |" for line in lines]) + "\n"


def best_values(rows):
    best = {}
    for row in rows:
        name = row["case"]
        known = cases.find(name).best or math.inf
        value = row["hops_per_byte"]
        best[name] = min(best.get(name, known), math.inf if math.isnan(value) else value)
    return best


def quality_tables(rows, mappers, best):
    by = {(row["case"], row["mapper"]): row for row in rows}
    names = list(best)
    lines = []
    for name in names:
        found = {m: by[name, m]["hops_per_byte"] for m in mappers if (name, m) in by}
        least = min(v for v in found.values() if not math.isnan(v))
        cells = [f"**{found[m]:.3f}**" if found.get(m) == least else f"{found.get(m, math.nan):.3f}" for m in mappers]
        lines.append([cases.CASES[name].about, *[c.replace("nan", "-") for c in cells], f"{best[name]:.3f}"])
    text = "Average hops per byte\n\n" + markdown(["traffic", *mappers, "best known"], lines)
    lines = []
    for mapper in mappers:
        of_mapper = [row for row in rows if row["mapper"] == mapper and not row["failed"]]
        ratios = [row["hops_per_byte"] / best[row["case"]] for row in of_mapper]
        loads = [row["max_link_load"] / by[row["case"], "linear"]["max_link_load"] for row in of_mapper]
        lines.append([
            mapper, f"{statistics.geometric_mean(ratios):.3f}", f"{max(ratios):.3f}",
            f"{statistics.geometric_mean(loads):.2f}", f"{statistics.median(r['seconds'] for r in of_mapper):.3f}",
            f"{max(r['seconds'] for r in of_mapper):.3f}", f"{max(r['megabytes'] for r in of_mapper):.0f}",
        ])
    header = ["mapper", "hops per byte over best known (geometric mean)", "worst case", "busiest link over linear's",
              "seconds (median)", "seconds (most)", "MB (most)"]
    return text + "\nAll cases together\n\n" + markdown(header, lines)


def quality(folder, quick, scratch):
    mappers = [name for name in MAPPERS if not (quick and name in QUICK_LEAVES_OUT)]
    names = [name for name, case in cases.CASES.items() if not quick or case.fixture]
    rows = []
    for name in names:
        files = measure.Files.of_case(name, scratch)
        for mapper in mappers:
            if fits(mapper, files):
                rows.append(run_one(files, MAPPERS[mapper], mapper, files.case.ranks, name))
        files.remove()
    best = best_values(rows)
    write_tsv(rows, folder / "quality.tsv")
    text = quality_tables(rows, mappers, best)
    (folder / "quality.md").write_text(text, "utf-8")
    (folder / "quality.svg").write_text(plot.quality(rows, mappers, best, {name: cases.CASES[name].about for name in best}), "utf-8")
    print("\n" + text)


def run_tofa(files, limits, ranks, name):
    """A row for each limit."""
    return [run_one(files, measure.auto(limit, *HOP_BYTES), "tofa", ranks, name) for limit in limits]


def seconds_until(rows, most):
    """How soon an answer was there that costs so much at most; nothing if none does."""
    return min((row["seconds"] for row in rows if not row["failed"] and row["hops_per_byte"] <= most * (1 + 1e-9)),
               default=math.nan)


def seconds_words(seconds):
    return "-" if math.isnan(seconds) else f"{seconds:.2g}"


def answers(rows, case, mapper):
    return [row for row in rows if row["case"] == case and row["mapper"] == mapper and not row["failed"]]


def title(case):
    if ":" not in case:
        return cases.CASES[case].about
    family, ranks = case.split(":")
    return f"{ABOUT[family]}, {int(ranks):,}"


def race_table(rows, least):
    lines = []
    for case in least:
        cells = []
        others = [row for mapper in OTHERS for row in answers(rows, case, mapper)]
        for mapper in OTHERS:
            found = answers(rows, case, mapper)
            cells += [f"{found[0]['hops_per_byte']:.3f}", seconds_words(found[0]["seconds"])] if found else ["-", "-"]
        mine = answers(rows, case, "tofa")
        as_good = min((row["hops_per_byte"] for row in others), default=math.nan)
        for most in (as_good, 1.1 * least[case], 1.05 * least[case], 1.01 * least[case]):
            cells.append(seconds_words(seconds_until(mine, most)))
        lines.append([title(case), *cells, f"{least[case]:.3f}"])
    header = ["traffic, ranks"]
    for mapper in OTHERS:
        header += [f"{mapper}: hops", "s"]
    header += ["tofa, s until as good as these", "within 10 % of the least", "5 %", "1 %", "the least"]
    return "Hops per byte, and seconds until an answer is there\n\n" + markdown(header, lines)


def race(folder, quick, scratch):
    rows = []
    for case in RACES:
        files = measure.Files.of_case(case, scratch)
        if quick and files.case.ranks > 4096:
            files.remove()
            continue
        rows += run_tofa(files, LIMITS, files.case.ranks, case)
        rows += [run_one(files, run, mapper, files.case.ranks, case) for mapper, run in OTHERS.items()]
        files.remove()
    least = best_values(rows)
    write_tsv(rows, folder / "race.tsv")
    text = race_table(rows, least)
    (folder / "race.md").write_text(text, "utf-8")
    (folder / "race.svg").write_text(plot.race(rows, ["tofa", *OTHERS], least, {case: title(case) for case in least}), "utf-8")
    print("\n" + text)


def scaling_table(rows):
    lines = []
    for family, sizes in SIZES.items():
        for ranks in sizes:
            cells = []
            for mapper in (*SCALING, "tofa"):
                found = [r for r in rows if (r["case"], r["ranks"], r["mapper"]) == (family, ranks, mapper)]
                if not found:
                    cells += ["-", "-", "-"]
                elif found[0]["failed"]:
                    cells += ["-", found[0]["failed"], f"{found[0]['megabytes']:.0f}"]
                else:
                    row = found[0]
                    cells += [f"{row['hops_per_byte']:.3f}", seconds_words(row["seconds"]), f"{row['megabytes']:.0f}"]
            if any(cell != "-" for cell in cells):
                lines.append([f"{ABOUT[family]}, {ranks:,}", *cells])
    header = ["traffic, ranks"]
    for mapper in SCALING:
        header += [f"{mapper}: hops", "s", "MB"]
    header += ["tofa: hops", "s until as good as these (alone: within 1 % of that)", "MB"]
    return markdown(header, lines)


def as_soon_as_good(mine, others):
    """What tofa comes to, and when it was as good as the better of the others; where these have no answer, when it was
    within a hundredth of what it comes to."""
    answered = [row for row in mine if not row["failed"]]
    if not answered:
        return mine[-1]
    best = min(answered, key=lambda row: row["hops_per_byte"])
    most = min((row["hops_per_byte"] for row in others if not row["failed"]), default=1.01 * best["hops_per_byte"])
    return {**best, "seconds": seconds_until(answered, most), "megabytes": max(row["megabytes"] for row in answered)}


def scaling(folder, quick, scratch):
    rows, runs = [], []
    for family, sizes in SIZES.items():
        too_slow = set()
        for ranks in sizes:
            if quick and ranks > 32768:
                continue
            files = measure.Files.of_case(f"{family}:{ranks}", scratch)
            others = []
            for mapper in SCALING:
                if mapper in too_slow:
                    continue
                others.append(run_one(files, OTHERS[mapper], mapper, ranks, family))
                if others[-1]["failed"]:
                    too_slow.add(mapper)
            mine = run_tofa(files, LIMITS_OF_SCALING, ranks, family)
            runs += others + mine
            rows += [*others, as_soon_as_good(mine, others)]
            files.remove()
    write_tsv(runs, folder / "scaling.tsv")
    text = scaling_table(rows)
    (folder / "scaling.md").write_text(text, "utf-8")
    measures = {"seconds": "seconds until as good", "megabytes": "memory, MB", "hops_per_byte": "hops per byte"}
    (folder / "scaling.svg").write_text(plot.scaling(rows, [*SCALING, "tofa"], ABOUT, measures), "utf-8")
    print("\n" + text)


def main(arguments):
    quick = "--quick" in arguments
    rest = [a for a in arguments if a != "--quick"]
    parts = {"quality": quality, "race": race, "scaling": scaling}
    if len(rest) != 2 or rest[0] not in parts:
        sys.exit(__doc__)
    folder = pathlib.Path(rest[1])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="tofa-bench-") as scratch:
        parts[rest[0]](folder, quick, pathlib.Path(scratch))


if __name__ == "__main__":
    main(sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Mappers against each other: hops per byte, busiest link, time and memory.

    compare.py quality|scaling [--quick] FOLDER

`quality` runs every mapper on every case; `scaling` runs a few of them from 512 ranks to a million. Leaves a table of
all runs (.tsv), one to read (.md) and a picture (.svg) in FOLDER.
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

SCALING = {
    "METIS": measure.metis,
    "Scotch": measure.scotch(measure.Files.torus_target),
    "tofa 10 s": measure.auto(10, *HOP_BYTES),
}
SIZES = {
    "grid": [512, 4096, 32768, 262144, 1000000],
    "shuffled": [512, 4096, 32768, 262144, 1000000],
    "geometric": [512, 4096, 16384, 131072],
}
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
        known = cases.CASES[name].best or math.inf
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


def scaling_table(rows):
    lines = []
    for family, sizes in SIZES.items():
        for ranks in sizes:
            cells = []
            for mapper in SCALING:
                found = [r for r in rows if (r["case"], r["ranks"], r["mapper"]) == (family, ranks, mapper)]
                if not found:
                    cells += ["-", "-", "-"]
                elif found[0]["failed"]:
                    cells += ["-", found[0]["failed"], f"{found[0]['megabytes']:.0f}"]
                else:
                    row = found[0]
                    cells += [f"{row['hops_per_byte']:.3f}", f"{row['seconds']:.2f}", f"{row['megabytes']:.0f}"]
            if any(cell != "-" for cell in cells):
                lines.append([f"{family}, {ranks:,}", *cells])
    header = ["traffic, ranks"]
    for mapper in SCALING:
        header += [f"{mapper}: hops", "s", "MB"]
    return markdown(header, lines)


def scaling(folder, quick, scratch):
    rows = []
    for family, sizes in SIZES.items():
        too_slow = set()
        for ranks in sizes:
            if quick and ranks > 32768:
                continue
            files = measure.Files.of_case(f"{family}:{ranks}", scratch)
            for mapper, run in SCALING.items():
                if mapper in too_slow:
                    continue
                rows.append(run_one(files, run, mapper, ranks, family))
                if rows[-1]["failed"]:
                    too_slow.add(mapper)
            files.remove()
    write_tsv(rows, folder / "scaling.tsv")
    text = scaling_table(rows)
    (folder / "scaling.md").write_text(text, "utf-8")
    (folder / "scaling.svg").write_text(plot.scaling(rows, list(SCALING), list(SIZES)), "utf-8")
    print("\n" + text)


def main(arguments):
    quick = "--quick" in arguments
    rest = [a for a in arguments if a != "--quick"]
    parts = {"quality": quality, "scaling": scaling}
    if len(rest) != 2 or rest[0] not in parts:
        sys.exit(__doc__)
    folder = pathlib.Path(rest[1])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="tofa-bench-") as scratch:
        parts[rest[0]](folder, quick, pathlib.Path(scratch))


if __name__ == "__main__":
    main(sys.argv[1:])

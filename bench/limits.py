#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a short limit leaves: every family of traffic on every kind of machine, by the clock, over the best that is known.

    limits.py [--quick] [--only TEXT] [--seeds N] [--search SECONDS] [--folder FOLDER] [--cases FOLDER] [PROGRAM]

Runs `tofa map --objective hop-bytes --time-limit 0.1` and `1`, and shows the ten cases where what they leave is the most, and
how many are within what is asked for. Figures are medians over seeds. The best known of each case is in best_known.tsv; with
--search, a thorough search is run, too, and the file is written again where something better was found. All cases go to
limits.tsv in the --folder, the tables to limits.md; traffic stays in --cases, if given, and is taken from there the next time.
"""
import argparse
import json
import math
import pathlib
import statistics
import subprocess
import tempfile

import measure
import suites

LIMITS = {0.1: 1.10, 1: 1.03}  # seconds, and what may be left over the best that is known
BEST_KNOWN = pathlib.Path(__file__).resolve().parent / "best_known.tsv"
REFERENCE = "best known"
HOP_BYTES = "hop-bytes"  # an objective, ...
HOPS = "hops per byte"  # ... and what that comes to
WORST = 10
LATE = 1.05  # of the limit
ROUNDING = 1e-4  # of figures in best_known.tsv


def suite(quick):
    """Every case once; few of each machine where it has to be quick."""
    seen = set()
    for machine, slots, families in suites.TORI + suites.SLOTS + suites.TREES + suites.MORE:
        new = [family for family in families if (machine, slots, family) not in seen]
        seen.update((machine, slots, family) for family in new)
        yield machine, slots, new[:1] if quick else new


def read_best():
    """Hops per byte by (traffic, machine, slots)."""
    lines = [line.split("\t") for line in BEST_KNOWN.read_text("utf-8").splitlines()[1:]]
    return {(family, machine, int(slots)): float(cost) for family, machine, slots, cost in lines}


def write_best(best):
    lines = ["\t".join([*map(str, key), f"{cost:.5g}"]) for key, cost in sorted(best.items())]
    BEST_KNOWN.write_text("\n".join(["traffic\tmachine\tslots\thops_per_byte", *lines]) + "\n", "utf-8")


def run(program, case, seed, *options, objective=HOP_BYTES):
    """What the objective says per byte, which of hop-bytes are hops, seconds, and what the mapping grew from."""
    command = [program, "map", "--graph", case.graph, "--topology", case.topology, "--slots", case.slots, "--seed", seed,
               "--objective", objective, "--format", "json", *options]
    for hosts in case.hosts:
        command += ["--nodes", hosts]
    report = json.loads(subprocess.run(list(map(str, command)), check=True, capture_output=True).stdout)
    return report["cost"] / report["bytes"], report["elapsed_seconds"], report.get("origin", report["mapper"])


def measure_case(program, case, seeds, search, objective=HOP_BYTES):
    """A row for each limit, and the least cost per byte that was seen."""
    rows = []
    least = math.inf
    for limit in LIMITS:
        results = [run(program, case, seed, "--time-limit", limit, objective=objective) for seed in range(1, seeds + 1)]
        costs, seconds, mappers = zip(*results)
        rows.append({"case": case.title, "limit": limit, "cost": statistics.median(costs), "seconds": statistics.median(seconds),
                     "mapper": mappers[0]})
        least = min(least, *costs)
    if search:
        least = min(least, run(program, case, 1, "--effort", "thorough", "--time-limit", search, objective=objective)[0])
    return rows, least


def tables(rows, reference=REFERENCE, cost=HOPS):
    """The worst for each limit, and how many are over what is asked for; `reference` is what costs are compared with."""
    text = []
    for limit, allowed in LIMITS.items():
        of_limit = sorted((row for row in rows if row["limit"] == limit), key=lambda row: -row["over"])
        over = [row["over"] for row in of_limit]
        missed = sum(ratio > allowed for ratio in over)
        text += [f"Limit {limit:g} s: {statistics.geometric_mean(over):.3f} of the {reference}, geometric mean of {len(over)} cases; "
                 f"{missed} of them over {allowed:.2f}. The worst:\n",
                 f"| traffic | machine | {cost} | over the {reference} | seconds | from |", "|---|---|---:|---:|---:|---|"]
        text += [f"{row['case']} {row['cost']:.4g} | {row['over']:.3f} | {row['seconds']:.2f} | {row['mapper']} |" for row in of_limit[:WORST]]
        slowest = max(of_limit, key=lambda row: row["seconds"])
        late = sum(row["seconds"] > LATE * limit for row in of_limit)
        text += [f"\nOf these {late} take more than {LATE:g} of the limit; {slowest['seconds']:.3f} s at most, {slowest['case'].strip('| ')}.", ""]
    return "\n".join(text)


def write_rows(rows, path, reference=REFERENCE, cost=HOPS):
    with open(path, "w", encoding="utf-8") as out:
        print("limit", cost.replace(" ", "_"), f"over_{reference.replace(' ', '_')}", "seconds", "mapper", "case", sep="\t", file=out)
        for row in rows:
            print(f"{row['limit']:g}", f"{row['cost']:.5g}", f"{row['over']:.4f}", f"{row['seconds']:.3f}", row["mapper"], row["case"], sep="\t", file=out)


def show(text, path):
    path.write_text(text, "utf-8")
    print("\n" + text)


def parser_of(usage, seeds, search):
    """Options of what measures within the limits, with what is taken for these two where they are not given."""
    parser = argparse.ArgumentParser(usage=usage)
    parser.add_argument("program", nargs="?", default=measure.TOFA)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--seeds", type=int, default=seeds)
    parser.add_argument("--search", type=float, default=search)
    parser.add_argument("--folder", type=pathlib.Path, default=".")
    return parser


def main():
    parser = parser_of(__doc__, seeds=3, search=None)
    parser.add_argument("--cases")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    best = read_best()
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for case in suites.cases(suite(options.quick), options.cases or scratch, options.only):
            found, least = measure_case(options.program, case, options.seeds, options.search)
            better = least < (1 - ROUNDING) * best.get(case.key, math.inf)
            if better:
                best[case.key] = least
            for row in found:
                row["over"] = row["cost"] / best[case.key]
            rows += found
            print(case.title, *(f"{row['cost']:.4g} ({row['over']:.3f}) |" for row in found), f"{best[case.key]:.4g}",
                  "new best" if better else "", flush=True)
            if options.search:
                write_best(best)
    write_rows(rows, options.folder / "limits.tsv")
    show(tables(rows), options.folder / "limits.md")


if __name__ == "__main__":
    main()

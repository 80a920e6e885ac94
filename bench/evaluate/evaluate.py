#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: BSD-3-Clause
"""Every table and figure of the paper and of the thesis's chapters 5 and 6, measured again.

    evaluate.py [--quick] [-j N] [--array [K/N]] [--only REGEX] [--page FILE] [--folder FOLDER] [NAME...]

NAME is one of --list, or what was published, like table-6.1. Each measurement is a file in FOLDER/results (build/evaluate):
whatever ends a run, the next one goes on there. With --array only the K-th of N shares is measured, without pages; in a Slurm
job array, Slurm says which.
"""
import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "bench"))

import cells
import item as items
import lab
import measure
import measurements
import page
import registry


def share(text):
    """K/N; or what Slurm says of the task of a job array."""
    if text == "slurm":
        names = ("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT")
        missing = [name for name in names if not os.environ.get(name, "").isdigit()]
        if missing:
            raise argparse.ArgumentTypeError(f"{missing[0]} is not set: say --array K/N outside a Slurm job array")
        task, first, parts = (int(os.environ[name]) for name in names)
        part = task - first + 1
    else:
        try:
            part, parts = map(int, text.split("/"))
        except ValueError as error:
            raise argparse.ArgumentTypeError(f'"{text}" is not K/N, like 3/20') from error
    if not 1 <= part <= parts:
        raise argparse.ArgumentTypeError(f"there is no share {part} of {parts}: shares count from 1, and tasks without gaps")
    return part, parts


def positive(text):
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f'"{text}" is not a number of 1 or more')
    return int(text)


def regular_expression(text):
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f'"{text}" is no regular expression: {error}') from error


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", dest="form", action="store_const", const="quick", help="every table, with few repetitions")
    size.add_argument("--form", choices=items.FORMS, help=argparse.SUPPRESS)
    parser.add_argument("-j", "--jobs", type=positive, default=os.cpu_count(), help="measurements at a time")
    parser.add_argument("--array", nargs="?", const="slurm", metavar="K/N", help="measure only this share")
    parser.add_argument("--only", type=regular_expression, metavar="REGEX", help="measure only what is named so in FOLDER/results")
    parser.add_argument("--folder", type=pathlib.Path, default=lab.BUILD / "evaluate", help="where results are kept")
    parser.add_argument("--page", type=pathlib.Path, metavar="FILE", help="write the page there, too: docs/papers.md")
    parser.add_argument("--list", action="store_true", help="names and what they cover")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    # A word behind --array that is no share is a NAME that argparse took for one.
    if options.array not in (None, "slurm") and "/" not in options.array:
        options.names.insert(0, options.array)
        options.array = "slurm"
    try:
        options.share = share(options.array) if options.array else None
        options.items = registry.find(options.names)
    except (argparse.ArgumentTypeError, LookupError) as error:
        parser.error(str(error.args[0]))
    options.form = items.FORMS[options.form or "full"]
    return options


def what_measures():
    """The files that results depend on: tofa, recorded profiles, the programs to simulate, and the scripts that measure. What
    tables ask for is in the names of their cells."""
    programs = [path for path in lab.SOURCES.rglob("*") if path.suffix in (".c", ".h", ".cpp", ".sh")]
    scripts = [SOURCE / "bench" / name for name in ("cases.py", "measure.py", "simulate.sh")]
    modules = [SOURCE / "bench" / "evaluate" / name for name in ("lab.py", "measurements.py", "routes.py")]
    return [lab.TOFA, *lab.FIXTURES.glob("*.bytes.mtx"), *programs, *scripts, *modules]


def simulates(cell):
    """Mapping times and recorded profiles need no programs."""
    return cell.kind != "mapping-time" and not str(dict(cell.values).get("program", "")).startswith("fixture:")


def asks_scotch(cell):
    return cell.kind == "factor" or str(dict(cell.values).get("way", "")).startswith("scotch")


def require(missing):
    """Ends with a word when a package is not there that the measurements need."""
    for needs, program, package in ((simulates, "smpicc", "libsimgrid-dev"), (asks_scotch, measure.GMAP, "scotch")):
        if any(map(needs, missing)) and not shutil.which(program):
            sys.exit(f"evaluate.py: there is no {program}; as root: apt-get install {package}")


def build_programs(work, fingerprint):
    """Once, by whoever comes first: others may be running them."""
    built = work.folder / "programs"
    with work.alone():
        if not built.exists() or built.read_text("ascii") != fingerprint:
            if subprocess.run([SOURCE / "bench" / "simulate.sh", "-b"], check=False).returncode != 0:
                sys.exit("evaluate.py: the programs to simulate could not be built")
            built.write_text(fingerprint, "ascii")


def wanted_by(options):
    """The cells to measure, each once."""
    wanted = list(dict.fromkeys(cell for item in options.items for cell in item.cells(options.form)))
    if options.only:
        wanted = [cell for cell in wanted if options.only.search(cell.name())]
    return cells.share_of(wanted, *options.share) if options.share else wanted


def leave_settings_out():
    """What a user or a site has set for tofa is not measured."""
    for name in [name for name in os.environ if name.startswith("TOFA_") and name != "TOFA_BUILD"]:
        del os.environ[name]
    os.environ["TOFA_SITE_FILE"] = os.devnull


def main():
    # What was begun ends, and clears up behind itself.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("evaluate.py: ended"))
    options = arguments()
    if options.list:
        for item in registry.ITEMS:
            print(f"{item.name:20}{item.title}{''.join(f', {name}' for name in item.covers)}")
        return 0
    if not lab.TOFA.exists():
        sys.exit(f"evaluate.py: there is no {lab.TOFA}: run ./dev build first, or say TOFA_BUILD=FOLDER")
    leave_settings_out()
    fingerprint = cells.fingerprint_of(what_measures(), [lab.release("smpirun", "-version"), lab.release(measure.GMAP, "-V")])
    work = lab.Lab(options.folder, fingerprint)
    store = cells.Store(options.folder / "results", fingerprint)
    wanted = wanted_by(options)
    missing = [cell for cell in wanted if store.get(cell) is None]
    print(f"{len(wanted)} measurements, {len(wanted) - len(missing)} are there", file=sys.stderr, flush=True)
    require(missing)
    if any(map(simulates, missing)):
        build_programs(work, fingerprint)
    failed = cells.measure_all(missing, store, lambda cell: measurements.KINDS[cell.kind](cell, work), options.jobs)
    if not options.share:
        return write_pages(options, store, failed)
    return 1 if failed else 0


def write_pages(options, store, failed):
    folder = options.folder
    shown = {item: item.show(options.form, store.get) for item in options.items}
    text = page.markdown(options.form, shown, failed)
    for path in filter(None, (folder / "papers.md", options.page)):
        path.write_text(text, encoding="utf-8")
    (folder / "papers.html").write_text(page.html(options.form, shown), encoding="utf-8")
    print(text)
    print(f"{folder}/papers.md, papers.html", file=sys.stderr)
    wrong = [words for what in shown.values() for words in what.wrong]
    for words in [*wrong, *(f"{cell.name()}: {why}" for cell, why in failed.items())]:
        print(f"evaluate.py: {words}", file=sys.stderr)
    return 1 if wrong or failed else 0


if __name__ == "__main__":
    sys.exit(main())

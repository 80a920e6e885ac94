#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Real programs with and without the monitor: whether their results are the same, whether their traffic is what they must
send, and what monitoring costs. Usage: apps.py BUILD [RUNS [PROGRAM...]]. Prints a table for docs/applications.md; what
is wrong goes to standard error, and the exit status is 1 then.

Each program is run RUNS times both ways by turns, in folders of their own. The cost is the median of the ratios of
neighbouring runs, of the time on the wall and of the processors' time, since other load hits neighbours alike."""
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import programs
from programs import LIMIT, Wrong, require

CLASSES = ("user", "collective", "one-sided", "io", "library")
STEM = "traffic"


def component_path(build):
    stock = subprocess.run(["ompi_info", "--parsable", "--path", "pkglibdir"], capture_output=True, text=True, timeout=LIMIT,
                           check=True).stdout.strip().split(":")[-1]
    return f"{stock}:{build}/lib/tofa"


def end(process):
    """mpirun ends its ranks when it is asked to end."""
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def run_limited(command, folder, environment):
    """Runs a command to its end or to the limit; the seconds it took on the wall, and of processors."""
    with open(os.path.join(folder, "stdout"), "w") as out, open(os.path.join(folder, "stderr"), "w") as err:
        begin = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   start_new_session=True)
        try:
            while True:
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                if pid:
                    break
                require(time.monotonic() - begin < LIMIT, f"{' '.join(command)} has not ended after {LIMIT} s")
                time.sleep(0.02)
        except BaseException:
            end(process)
            raise
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - begin
    if process.returncode:
        raise Wrong(f"{' '.join(command)}: status {process.returncode}\n" + programs.read(folder, "stderr")[-2000:])
    return wall, usage.ru_utime + usage.ru_stime


def read_matrix(path):
    with open(path) as file:
        lines = [line.split() for line in file if not line.startswith("%")]
    return {(int(row) - 1, int(column) - 1): int(value) for row, column, value in lines[1:]}


def read_profile(folder):
    """Matrices by (class, quantity); classes without traffic are empty."""
    profile = {}
    for part in ("all", *CLASSES):
        for quantity in ("bytes", "messages"):
            path = os.path.join(folder, f"{STEM}.{quantity}.mtx" if part == "all" else f"{STEM}.{part}.{quantity}.mtx")
            require(part != "all" or os.path.exists(path), f"{path} is missing")
            profile[part, quantity] = read_matrix(path) if os.path.exists(path) else {}
    return profile


def check_profile(profile, folder, ranks):
    """What holds of any program."""
    for quantity in ("bytes", "messages"):
        sums = {}
        for part in CLASSES:
            for pair, value in profile[part, quantity].items():
                sums[pair] = sums.get(pair, 0) + value
        require(sums == profile["all", quantity], f"the classes do not add up to all {quantity}")
        inside = all(0 <= rank < ranks for pair in sums for rank in pair)
        require(inside and sum(sums.values()) > 0, f"{quantity} of ranks that are not there, or none")
    require(profile["all", "bytes"].keys() == profile["all", "messages"].keys(), "bytes and messages are of other pairs")
    with open(os.path.join(folder, f"{STEM}.bytes.mtx")) as file:
        head = next(json.loads(line[6:]) for line in file if line.startswith("%tofa "))
    require(head["ranks"] == ranks and not head["missing_ranks"] and not head["untracked_messages"], f"the head says {head}")


class Trial:
    """One program in a folder that goes when it is done."""

    def __init__(self, program, folder, environment):
        self.program, self.folder, self.environment = program, folder, environment
        self.inputs = os.path.join(folder, "inputs")
        os.mkdir(self.inputs)
        program.prepare(self.inputs)
        self.number = 0

    def run(self, monitored, command=None):
        self.number += 1
        place = os.path.join(self.folder, str(self.number))
        shutil.copytree(self.inputs, place)
        # Jobs of one host share a folder for their sessions; each here has its own.
        session = os.path.join(place, "tmp")
        os.mkdir(session)
        options = ["--mca", "pml_monitoring_enable", "2", "--mca", "pml_monitoring_filename", STEM] if monitored else []
        launch = ["mpirun", "--oversubscribe", "-n", str(self.program.ranks), *options, *(command or self.program.command())]
        return (place, *run_limited(launch, place, {**self.environment, "TMPDIR": session}))

    def measure(self, runs):
        """The row of the table."""
        expected, profile, alone, walls, processors = None, None, [], [], []
        for turn in range(runs):
            seconds = {}
            for monitored in ((False, True) if turn % 2 == 0 else (True, False)):
                place, *seconds[monitored] = self.run(monitored)
                outcome = self.program.outcome(place)
                expected = expected or outcome
                require(outcome == expected, f"{'with' if monitored else 'without'} the monitor, results differ in run {turn}")
                if monitored:
                    profile = read_profile(place)
                    check_profile(profile, place, self.program.ranks)
                    seen = self.program.look(profile, place)
                    files = [entry for entry in os.scandir(place) if entry.name.startswith(STEM + ".")]
                    size = sum(entry.stat().st_size for entry in files)
                else:
                    require(not [name for name in os.listdir(place) if name.startswith(STEM)], "files without a monitor")
                shutil.rmtree(place)
            alone.append(seconds[False][0])
            walls.append(seconds[True][0] / seconds[False][0])
            processors.append(seconds[True][1] / seconds[False][1])
        if hasattr(self.program, "counting"):
            place, *_ = self.run(True, self.program.counting())
            seen += "; " + self.program.own_count(read_profile(place), place)
        total = {quantity: sum(profile["all", quantity].values()) for quantity in ("bytes", "messages")}
        return {"program": self.program.title, "ranks": self.program.ranks, **total, "files": len(files), "size": size,
                "wall": statistics.median(alone), "ratio": middle(walls), "processors": middle(processors), "seen": seen, "compared": self.program.compared}


def middle(ratios):
    """The median, and between what half of the runs were."""
    if len(ratios) < 4:
        return f"{statistics.median(ratios):.2f}"
    low, median, high = statistics.quantiles(ratios, n=4)
    return f"{median:.2f} ({low:.2f} to {high:.2f})"


def print_table(rows, runs):
    print("| program | ranks | messages | bytes | files | s without | wall, with : without | processors, with : without |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for row in rows:
        print(f"| {row['program']} | {row['ranks']} | {row['messages']:,} | {row['bytes']:,} | {row['files']}, {row['size'] / 1024:.0f} KiB | "
              f"{row['wall']:.1f} | {row['ratio']} | {row['processors']} |")
    print(f"\nMedians of {runs} runs each way, by turns; in brackets between what half of the runs were.\n")
    for row in rows:
        print(f"- {row['program'].split(',')[0]}: identical are {row['compared']}. Traffic: {row['seen']}.")


def main():
    build = os.path.abspath(sys.argv[1])
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 11
    wanted = [name.lower() for name in sys.argv[3:]]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_MCA_", "TOFA_", "SLURM_"))}
    environment |= {"OMPI_MCA_mca_base_component_path": component_path(build), "OMPI_ALLOW_RUN_AS_ROOT": "1",
                    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "LC_ALL": "C"}
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what runs is ended, and its folder goes
    rows, failed = [], False
    for kind in programs.PROGRAMS:
        if wanted and kind.__name__.lower() not in wanted:
            continue
        print(f"{kind.title} ...", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(prefix="tofa-apps-") as folder:
            try:
                rows.append(Trial(kind(), folder, environment).measure(runs))
            except (Wrong, OSError, subprocess.SubprocessError, ValueError, KeyError) as error:
                print(f"apps: {kind.__name__}: {error}", file=sys.stderr)
                failed = True
    print_table(rows, runs)
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A batch of MPI jobs on a Slurm cluster whose nodes crash now and then, run twice with the same crashes: where Slurm
puts the jobs, and where tofa does. Needs root, since the cluster is made of namespaces (tests/cluster).

    batch.py [--jobs N] [--seed N] [FOLDER]      default: 16 jobs; results are left in FOLDER (build/bench/results)

Both times every job asks for eight nodes of a 4x4x1 torus. By default it runs in Slurm's choice of nodes, in list order, and
when a node dies it is submitted again. With tofa it asks for the nodes that `tofa select` names, and for one to spare; when
a node dies, `tofa remap` moves the ranks that were on it, and mpirun starts again in what is left of the allocation. What
fails is learnt by tofa-healthd, from heartbeats and from Slurm's states, which starts knowing nothing.
"""
import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "bench"))
import plot

BIN = SOURCE / "build/bin"
COMPONENTS = SOURCE / "build/lib/tofa"
NODES = 16
RANKS = 8
COLUMNS = 4
STEPS = 30
FLAKY = 4  # nodes that crash now and then
BETWEEN_CRASHES = 40  # seconds, on average, that each of them stays up
DOWN = 15  # seconds; enough for Slurm to notice
ATTEMPTS = 12  # of a job, before it is given up
PATIENCE = 5  # seconds, for nodes that are named
PORT = 7412


def name_of(node):
    return f"n{node:03}"


def make_crashes(seed, seconds=1200):
    """When which node crashes, in order: (seconds since the start, node)."""
    source = random.Random(seed)
    crashes = []
    for node in source.sample(range(NODES), FLAKY):
        at = source.expovariate(1 / BETWEEN_CRASHES)
        while at < seconds:
            crashes.append((at, node))
            at += DOWN + source.expovariate(1 / BETWEEN_CRASHES)
    return sorted(crashes)


class Cluster:
    """Machines with Slurm, and the health service on them."""

    def __init__(self, folder, log):
        self.folder = folder
        self.shared = folder / "shared"
        self.agents = {}
        self.services = []
        self.log = open(log, "wb", buffering=0)

    def command(self, *words):
        return [str(SOURCE / "tests/cluster/cluster.sh"), "--dir", str(self.folder), *map(str, words)]

    def run(self, *words):
        subprocess.run(self.command(*words), check=True, stdout=self.log, stderr=self.log, timeout=120)

    def start(self, *words):
        return subprocess.Popen(self.command(*words), stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)

    def head(self, script, timeout=120):
        """Runs a script on the head, in the shared folder; (exit status, output)."""
        done = subprocess.run(self.command("sh", "bash", "-c", f"cd '{self.shared}'; {script}"), text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout)
        self.log.write(done.stdout.encode())
        return done.returncode, done.stdout

    def up(self):
        self.run("up", "--cpus", 1, "--conf", "SlurmdTimeout=4", "--conf", "MessageTimeout=3", NODES)
        hosts = "\n".join(["[poll]", "period = 0.25", "timeout = 0.2", "[estimate]", 'method = "ewma"', "half_life = 400", "[slurm]",
                           "enabled = true", "interval = 1", "[state]", f'database = "{self.shared}/health.db"',
                           f'snapshot = "{self.shared}/snapshot.json"', "[hosts]", f'list = "n[000-{NODES - 1:03}]"'])
        (self.shared / "healthd.toml").write_text(hosts + "\n")
        (self.shared / "torus.toml").write_text(
            f'[topology]\nkind = "torus"\nshape = [4, 4, 1]\nnodes = "n[000-{NODES - 1:03}]"\n')
        for node in range(NODES):
            self.start_agent(node)
        self.services = [self.start("sh", BIN / "tofa-healthd", "--config", self.shared / "healthd.toml")]
        self.services.append(self.start("sh", BIN / "tofa-pmix-gateway", "--listen", f"127.0.0.1:{PORT}", "--snapshot",
                                        self.shared / "snapshot.json"))
        self.wait_for_health()

    def start_agent(self, node):
        self.agents[node] = self.start("on", node, BIN / "tofa-noded")

    def wait_for_health(self):
        for _ in range(60):
            if self.head(f"{BIN}/tofa health status --health 127.0.0.1:{PORT}")[0] == 0:
                return
            time.sleep(0.5)
        sys.exit(f"the health service does not answer; see {self.log.name}")

    def crash(self, node):
        self.run("crash", node)

    def restore(self, node):
        self.run("restore", node)
        self.start_agent(node)

    def down(self):
        for process in [*self.services, *self.agents.values()]:
            process.terminate()
        subprocess.run(self.command("down"), check=False, stdout=self.log, stderr=self.log, timeout=120)
        for process in [*self.services, *self.agents.values()]:
            process.wait(timeout=60)


class Failures(threading.Thread):
    """Crashes nodes at their times, and starts them again."""

    def __init__(self, cluster, crashes):
        super().__init__()
        self.cluster = cluster
        self.crashes = crashes
        self.done = threading.Event()
        self.began = time.monotonic()
        self.outages = []  # (node, from, to), in seconds since the beginning

    def run(self):
        events = sorted([(at, node, True) for at, node in self.crashes] +
                        [(at + DOWN, node, False) for at, node in self.crashes])
        since = {}
        for at, node, crash in events:
            if self.done.wait(max(0, self.began + at - time.monotonic())):
                break
            if crash:
                self.cluster.crash(node)
                since[node] = time.monotonic() - self.began
            else:
                self.cluster.restore(node)
                self.outages.append((node, since.pop(node), time.monotonic() - self.began))
        end = time.monotonic() - self.began
        self.outages += [(node, start, end) for node, start in since.items()]


# What a job runs: `attempt` tells the beginning and the end of each mpirun, and $status. Waiting has an end, since ranks
# whose partner has gone silent do not notice by themselves.
COMMON = f"""
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_tcp_if_include=eth0
export OMPI_MCA_mpi_yield_when_idle=1
# The allocation outlives a node; mpirun must not, or it would wait for it.
unset SLURM_NO_KILL
export TOFA_TOPOLOGY=torus.toml TOFA_HEALTH=127.0.0.1:{PORT}
attempt() {{
  echo "BEGIN $EPOCHREALTIME $1"
  status=0
  timeout -k 2 40 mpirun "${{@:2}}" -n {RANKS} ./halo {COLUMNS} {STEPS} || status=$?
  echo "END $EPOCHREALTIME $status"
}}
"""

DEFAULT_JOB = COMMON + f"""
linear=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | paste -sd ' ')
attempt "$linear"
exit $status
"""

TOFA_JOB = COMMON + f"""
PATH={BIN}:$PATH
# Until Slurm has given up the dead node, the daemons of the first mpirun count as busy.
export SLURM_OVERLAP=1
tofa map --quiet --graph traffic --nodes "$SLURM_JOB_NODELIST" -o hosts || exit
for ((try = 0; try < {ATTEMPTS}; try++)); do
  awk '{{ print "rank " NR - 1 "=" $1 " slot=0" }}' hosts >ranks
  attempt "$(paste -sd ' ' hosts)" -H "$(paste -sd , hosts)" --rankfile ranks
  ((status)) || exit 0
  # A dead node is known within a second of heartbeats. What Slurm has given up is no longer the job's, though it may be up
  # again; and with fewer nodes than ranks the job had better be submitted again.
  sleep 1
  nodes=$(squeue --noheader --jobs "$SLURM_JOB_ID" --format %N)
  (($(scontrol show hostnames "$nodes" | wc -l) >= {RANKS})) || exit 1
  tofa remap --graph traffic --mapping hosts --nodes "$nodes" -o moved && mv moved hosts || exit
done
exit $status
"""


def run_attempts(cluster, began, command, attempts):
    """One allocation; appends (start, end, failed, hosts) of every mpirun in it. Whether the job finished."""
    offset = time.time() - (time.monotonic() - began)
    try:
        status, output = cluster.head(command, timeout=300)
    except subprocess.TimeoutExpired:
        return False
    begin = None
    for line in output.splitlines():
        words = line.split()
        if line.startswith("BEGIN "):
            begin = (float(words[1]) - offset, words[2:])
        elif line.startswith("END ") and begin:
            attempts.append((begin[0], float(words[1]) - offset, words[2] != "0", begin[1]))
            begin = None
    if begin:  # Slurm ended the whole allocation
        attempts.append((begin[0], time.monotonic() - began, True, begin[1]))
    return status == 0


def run_batch(cluster, jobs, tofa, began):
    (cluster.shared / "job.sh").write_text(TOFA_JOB if tofa else DEFAULT_JOB)
    select = f"{BIN}/tofa select --quiet --graph traffic --topology torus.toml --health 127.0.0.1:{PORT}"
    attempts = []
    for job in range(jobs):
        for _ in range(ATTEMPTS):
            print(f"{time.monotonic() - began:6.1f} s: job {job + 1} of {jobs}", file=sys.stderr, flush=True)
            if tofa:
                # Named nodes are waited for, whatever happens to them meanwhile. Those of a job that lost a node may be
                # completing for a minute, so it is better to choose again.
                command = f'salloc --immediate={PATIENCE} --no-kill -Q -N{RANKS + 1} -w "$({select})" bash job.sh'
            else:
                command = f"salloc -Q -N{RANKS} bash job.sh"
            if run_attempts(cluster, began, command, attempts):
                break
    return attempts


def profile(cluster):
    """Who talks to whom in the application: a run with the monitor, on healthy nodes."""
    subprocess.run(["mpicc", "-O2", "-o", str(cluster.shared / "halo"), str(SOURCE / "bench/batch/halo.c")], check=True)
    (cluster.shared / "profile.sh").write_text(COMMON + f"""
path=$(ompi_info --path pkglibdir --parsable | cut -d: -f3):{COMPONENTS}
attempt profile --mca mca_base_component_path "$path" --mca pml_monitoring_enable 1 --mca pml_monitoring_filename traffic
exit $status
""")
    status, output = cluster.head(f"salloc -Q -N{RANKS} bash profile.sh")
    if status != 0 or not (cluster.shared / "traffic.bytes.mtx").exists():
        sys.exit(f"the profiling run failed:\n{output}")


def measure(folder, jobs, seed, tofa):
    with tempfile.TemporaryDirectory(prefix="tofa-batch-", dir="/tmp") as scratch:
        os.chmod(scratch, 0o755)
        cluster = Cluster(pathlib.Path(scratch) / "cluster", folder / f"batch-{'tofa' if tofa else 'default'}.log")
        try:
            cluster.up()
            profile(cluster)
            failures = Failures(cluster, make_crashes(seed))
            failures.start()
            try:
                attempts = run_batch(cluster, jobs, tofa, failures.began)
                seconds = time.monotonic() - failures.began
            finally:
                failures.done.set()
                failures.join()
            hops = mean_hops(cluster, attempts)
        finally:
            cluster.down()
    return {"attempts": attempts, "outages": failures.outages, "seconds": seconds, "jobs": jobs, "hops": hops}


def mean_hops(cluster, attempts):
    sums = []
    for _, _, _, hosts in attempts:
        (cluster.shared / "evaluated").write_text("\n".join(hosts) + "\n")
        _, output = cluster.head(f"{BIN}/tofa evaluate --graph traffic --topology torus.toml --mapping evaluated --json | "
                                 "jq .average_hops_per_byte")
        sums.append(float(output))
    return sum(sums) / len(sums)


def table(results):
    lines = ["| placement | jobs finished | runs aborted | seconds lost in them | seconds for the batch | hops per byte |",
             "|---|---:|---:|---:|---:|---:|"]
    for name, result in results.items():
        aborted = [end - start for start, end, failed, _ in result["attempts"] if failed]
        finished = len(result["attempts"]) - len(aborted)
        lines.append(f"| {name} | {finished} of {result['jobs']} | {len(aborted)} | {sum(aborted):.0f} | "
                     f"{result['seconds']:.0f} | {result['hops']:.2f} |")
    return "\n".join(lines) + "\n"


def draw(results):
    """Nodes down, time across: outages, and the runs of jobs on the nodes they used. Runs that were aborted differ from
    others by an outline, too."""
    finished, aborted, down = ("#56b4e9", "none"), ("#fff", "#d55e00"), "#222"
    left, step, gap = 60, 10, 74
    longest = max(result["seconds"] for result in results.values())
    picture = plot.Picture(940, len(results) * (NODES * step + gap) + 36)
    across = (picture.width - left - 20) / longest
    for i, (name, result) in enumerate(results.items()):
        top = 40 + i * (NODES * step + gap)
        bottom = top + NODES * step
        picture.text(left, top - 10, f"{name}: {result['seconds']:.0f} s")
        for second in range(0, int(longest) + 1, 20):
            picture.line(left + second * across, top, left + second * across, bottom + 4, "#e4e7eb")
            picture.text(left + second * across, bottom + 15, str(second), "middle", 9)
        picture.text(left - 6, bottom + 15, "seconds", "end", 9)
        for node in range(NODES):
            picture.text(left - 6, top + node * step + 9, name_of(node), "end", 8)
        for start, end, failed, hosts in result["attempts"]:
            for host in hosts:
                picture.box(left + start * across, top + int(host[1:]) * step + 2, max((end - start) * across - 1, 1), 6,
                            *(aborted if failed else finished))
        for node, start, end in result["outages"]:
            y = top + node * step + 5
            picture.line(left + start * across, y, left + min(end, longest) * across, y, down, 3)
    x, y = left, picture.height - 16
    for words, shape in (("a run that finished", finished), ("a run that was aborted", aborted)):
        picture.box(x, y - 7, 24, 7, *shape)
        picture.text(x + 30, y, words, size=11)
        x += 180
    picture.line(x, y - 4, x + 24, y - 4, down, 3)
    picture.text(x + 30, y, "the node is down", size=11)
    return picture.document()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=SOURCE / "build/bench/results")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    options.folder.mkdir(parents=True, exist_ok=True)
    results = {name: measure(options.folder, options.jobs, options.seed, tofa)
               for name, tofa in (("Slurm's default", False), ("tofa", True))}
    text = table(results)
    (options.folder / "batch.md").write_text(text)
    (options.folder / "batch.svg").write_text(draw(results))
    print(text, end="")


if __name__ == "__main__":
    main()

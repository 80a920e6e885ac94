# SPDX-License-Identifier: BSD-3-Clause
"""A health service of real processes on the loopback interface, for the tests beside this file.

Every Service has a folder and ports of its own and ends all its processes when it is closed. Waiting is always for a
condition, with a deadline far beyond what a loaded machine needs.
"""
import contextlib
import json
import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time
import unittest

BIN = os.environ["TOFA_BIN"]
DEADLINE = 90


def wait_until(condition, what):
    """Returns the first true value of condition()."""
    end = time.monotonic() + DEADLINE
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"waited {DEADLINE} s for {what}")
        time.sleep(0.05)


def free_port(kind):
    """Below the ports that the system gives to clients: one of those may be taken again before it is bound, where other
    tests connect by the thousand."""
    while True:
        port = random.randrange(20000, 32000)
        with contextlib.suppress(OSError), socket.socket(socket.AF_INET, kind) as probe:
            probe.bind(("", port))
            return port


class Service:
    def __init__(self, hosts=3):
        self.folder = tempfile.mkdtemp(prefix="tofa-health-")
        self.names = [f"n{i}" for i in range(hosts)]
        self.agent_port = free_port(socket.SOCK_DGRAM)
        self.gateway_port = free_port(socket.SOCK_STREAM)
        self.snapshot = os.path.join(self.folder, "snapshot.json")
        self.database = os.path.join(self.folder, "health.db")
        self.config = os.path.join(self.folder, "healthd.toml")
        self.started = []
        self.write_config()

    def close(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    @property
    def uri(self):
        return f"127.0.0.1:{self.gateway_port}"

    def address(self, host):
        """Agents share a port and differ in the address, as nodes do."""
        return f"127.7.0.{self.names.index(host) + 1}"

    def write_config(self, estimate='method = "moving-average"\nwindow = 1000\nfloor = 0', more=""):
        lines = ["[poll]", "period = 0.2", "timeout = 0.15", "[estimate]", estimate, "[state]",
                 f'database = "{self.database}"', f'snapshot = "{self.snapshot}"', "save = 0.1"]
        for host in self.names:
            lines += ["[[host]]", f'name = "{host}"', f'address = "{self.address(host)}:{self.agent_port}"']
        with open(self.config, "w") as file:
            file.write("\n".join(lines) + "\n" + more)

    def start(self, program, *arguments, log=None, environment=None):
        with open(self.path(log or program + ".log"), "ab") as errors:
            process = subprocess.Popen([os.path.join(BIN, program), *arguments], stdout=errors, stderr=errors,
                                       stdin=subprocess.DEVNULL,
                                       env={**os.environ, "TMPDIR": self.folder, **(environment or {})})
        self.started.append(process)
        return process

    def start_agent(self, host, name=None):
        return self.start("tofa-noded", "--listen", f"{self.address(host)}:{self.agent_port}", "--name", name or host,
                          log=f"noded-{host}.log")

    def start_agents(self):
        return {host: self.start_agent(host) for host in self.names}

    def start_healthd(self, environment=None):
        return self.start("tofa-healthd", "--config", self.config, environment=environment)

    @property
    def disk_that_hangs(self):
        """The environment of a program whose disk hangs while the file exists that it names."""
        # A sanitizer wants to be the first library there is.
        return {"LD_PRELOAD": os.environ["TOFA_SLOW_DISK"], "TOFA_DISK_HANGS": self.path("hangs"),
                "ASAN_OPTIONS": "verify_asan_link_order=0"}

    def start_gateway(self, *arguments):
        gateway = self.start("tofa-pmix-gateway", "--listen", self.uri, "--snapshot", self.snapshot, *arguments)
        wait_until(lambda: "answering from" in self.log("tofa-pmix-gateway.log"), "the gateway")
        return gateway

    def log(self, name):
        try:
            with open(self.path(name), errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def hosts(self):
        """The snapshot: host -> entry; empty when there is none yet."""
        try:
            with open(self.snapshot) as file:
                return {entry["host"]: entry for entry in json.load(file)["hosts"]}
        except FileNotFoundError:
            return {}

    def recorded_outages(self):
        """The snapshot's list: (host, start, end, cause) of each."""
        with open(self.snapshot) as file:
            return [tuple(outage[key] for key in ("host", "start", "end", "cause"))
                    for outage in json.load(file)["outages"]]

    def wait_for_state(self, host, state):
        return wait_until(lambda: self.hosts().get(host, {}).get("state") == state and self.hosts()[host],
                          f"{host} to be {state}")

    def write_snapshot(self, hosts, age=0, rates=None, outages=(), warnings=(), excluded=None, drains=None):
        now = time.time() - age
        entries = [{"host": host, "probability": p, "polled": now, "state": "up"} for host, p in hosts.items()]
        for entry in entries:
            if rates and entry["host"] in rates:
                entry["rate"] = rates[entry["host"]]
            if excluded and entry["host"] in excluded:
                entry.update(probability=1, state="planned", excluded=excluded[entry["host"]])
            if drains and entry["host"] in drains:
                entry["drain"] = drains[entry["host"]]
        with open(self.snapshot + ".new", "w") as file:
            json.dump({"version": 1, "time": now, "period": 1, "hosts": entries, "outages": list(outages),
                       **({"warnings": list(warnings)} if warnings else {})}, file)
        os.rename(self.snapshot + ".new", self.snapshot)

    def query(self, *arguments, uri=None, deadline=30, environment=None):
        return subprocess.run([os.path.join(BIN, "tofa-query"), "--uri", uri or self.uri, "--deadline", str(deadline),
                               *arguments], capture_output=True, text=True, timeout=DEADLINE,
                              env={**os.environ, "TMPDIR": self.folder, **(environment or {})})

    def outages(self):
        """What tofa-query says: host -> (probability, age)."""
        answer = self.answer()
        return {host["host"]: (host["probability"], answer["time"] - host["polled"]) for host in answer["hosts"]}

    def rates(self):
        """What tofa-query says: host -> outages per hour."""
        return {host["host"]: host["rate"] for host in self.answer()["hosts"]}

    def history(self):
        """What tofa-query says: (host, start, end, cause) of each outage; the end is 0 while it lasts."""
        return [(outage["host"], outage["start"], outage["end"], outage["cause"])
                for outage in self.answer()["outages"]]

    def answer(self):
        """What tofa-query prints."""
        answer = self.query()
        if answer.returncode != 0:
            raise AssertionError(f"tofa-query ended with {answer.returncode}: {answer.stderr}")
        return json.loads(answer.stdout)


class ServiceTest(unittest.TestCase):
    def setUp(self):
        self.service = Service()
        self.addCleanup(self.service.close)

    def assert_running(self, process):
        self.assertIsNone(process.poll(), f"{process.args[0]} has ended with {process.poll()}")

    def rows(self, sql):
        """What the database has."""
        uri = f"file:{self.service.database}?mode=ro"
        with contextlib.closing(sqlite3.connect(uri, uri=True, timeout=DEADLINE)) as database:
            return database.execute(sql).fetchall()

    def wait_until_heard(self, *hosts):
        """A host that was never heard of is called up at first, and has no outage when it is stopped so soon."""
        def heard():
            with contextlib.suppress(sqlite3.OperationalError):  # no table yet
                return {(host,) for host in hosts} <= set(self.rows("SELECT name FROM host WHERE seen = 1"))

        wait_until(heard, f"{hosts} to be heard of")

    def published(self):
        """The last snapshot."""
        with open(self.service.snapshot) as file:
            return json.load(file)

    def log(self):
        """What tofa-healthd has logged."""
        return self.service.log("tofa-healthd.log")

    def wait_for_log(self, text):
        wait_until(lambda: text in self.log(), f"the log to say {text!r}")

    def warnings(self):
        """Those of the snapshot, if there is one."""
        with contextlib.suppress(FileNotFoundError), open(self.service.snapshot) as file:
            return json.load(file).get("warnings", [])
        return []

    def stop(self, process, how=signal.SIGTERM):
        process.send_signal(how)
        return process.wait(timeout=DEADLINE)

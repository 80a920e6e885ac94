# SPDX-License-Identifier: BSD-3-Clause
"""Admins tell a running tofa-healthd what it cannot know: over its local socket, if they may, and for good."""
import contextlib
import csv
import grp
import io
import json
import math
import os
import resource
import shutil
import signal
import socket
import sqlite3
import stat
import subprocess
import time
import unittest

from fake_agents import Agents
from service import BIN, DEADLINE, ServiceTest, wait_until

GROUP = "games"  # of Debian's own, without members
NOBODY = 65534
LONGEST_REQUEST = 16384


class Control(ServiceTest):
    def setUp(self):
        super().setUp()
        self.program = os.path.join(BIN, "tofa")
        self.socket = self.service.path("control.sock")
        os.chmod(self.service.folder, 0o755)  # others find the socket
        self.configure()

    def configure(self, group=None, path=None):
        self.service.write_config(more=f'[control]\nsocket = "{path or self.socket}"\n' +
                                  (f'group = "{group}"\n' if group else ""))

    def start(self):
        def opened():
            return self.service.log("tofa-healthd.log").count("may change things")
        before = opened()
        healthd = self.service.start_healthd()
        wait_until(lambda: healthd.poll() is not None or opened() > before, "the socket")
        self.assert_running(healthd)
        return healthd

    def start_all(self):
        agents = self.service.start_agents()
        healthd = self.start()
        for host in agents:
            self.service.wait_for_state(host, "up")
        return agents, healthd

    def let_others_in(self):
        """A copy of the command that other users can run, wherever this was built."""
        self.program = shutil.copy(self.program, self.service.folder)
        os.chmod(self.program, 0o755)
        if subprocess.run(["/usr/bin/test", "-x", self.program], user=NOBODY, group=NOBODY, extra_groups=[],
                          check=False).returncode != 0:
            self.skipTest(f"other users do not reach {self.service.folder}")

    def tofa(self, *arguments, path=None, deadline=60, **who):
        return subprocess.run([self.program, "health", *arguments, "--socket", path or self.socket,
                               "--deadline", str(deadline)], capture_output=True, text=True, timeout=DEADLINE, **who)

    def done(self, *arguments, **who):
        result = self.tofa(*arguments, **who)
        self.assertEqual((result.returncode, result.stderr), (0, ""), arguments)
        return result.stdout

    def refused(self, *arguments, status=1, **who):
        result = self.tofa(*arguments, **who)
        self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
        self.assertTrue(result.stderr.startswith("tofa: "), result.stderr)
        return result.stderr

    def changes(self):
        return json.loads(self.done("export", "--json"))["changes"]

    def test_a_renamed_host_keeps_its_history(self):
        agents, healthd = self.start_all()
        now = int(time.time())
        self.done("event", "add", "n2", "--start", str(now - 7200), "--end", str(now - 3600), "--cause", "gpu")
        self.assertIn("n2 is still watched", self.refused("merge", "n2", "n1", "--reason", "r"))
        self.stop(agents["n2"])
        with open(self.service.config) as file:
            renamed = file.read().replace('name = "n2"', 'name = "m2"')
        with open(self.service.config, "w") as file:
            file.write(renamed)
        self.service.names[2] = "m2"
        self.service.start_agent("m2")
        healthd.send_signal(signal.SIGHUP)
        self.service.wait_for_state("m2", "up")
        self.assertIn('does not watch "n9"', self.refused("merge", "n2", "n9", "--reason", "r"))
        self.assertIn("the same", self.refused("merge", "m2", "m2", "--reason", "r", status=2))
        self.assertIn("merged: what n2 did, on ", self.done("merge", "n2", "m2", "--reason", "new rack"))
        outage = ("m2", now - 7200, now - 3600, "gpu")
        self.assertIn(outage, self.service.recorded_outages(), "as soon as it is acknowledged")
        self.stop(healthd, signal.SIGKILL)
        healthd = self.start()
        wait_until(lambda: outage in self.service.recorded_outages(), "the history after a restart")
        (name,) = self.service.hosts()["m2"]["was"]
        self.assertEqual((name["name"], name["reason"]), ("n2", "new rack"))
        self.assertNotIn("lacked", self.log(), "the snapshot and the database agree")
        change = self.changes()[-1]
        self.assertEqual((change["action"], change["host"], change["into"], change["reason"]),
                         ("merge", "n2", "m2", "new rack"))
        rows = list(csv.DictReader(io.StringIO(self.done("export"))))
        self.assertEqual([(row["host"], row["state"]) for row in rows if row["cause"] != "heartbeat"],
                         [("m2", "down"), ("n2", "entered"), ("n2", "merged")])
        self.assertEqual(self.rows("SELECT host FROM outage WHERE cause = 'gpu'"), [("n2",)], "rows stay as they were")
        self.assertIn("nothing is recorded of", self.refused("merge", "n2", "m2", "--reason", "again"))

    def test_explain(self):
        self.service.write_config('method = "gamma"', f'[control]\nsocket = "{self.socket}"\n')
        self.start_all()
        now = int(time.time())
        self.done("event", "add", "n1", "--start", str(now - 7200), "--end", str(now - 3600), "--cause", "gpu")
        why = json.loads(self.done("explain", "n1", "--horizon", "7d", "--json"))
        self.assertEqual((why["host"], why["state"], why["method"], why["horizon"]), ("n1", "up", "gamma", 604800))
        numbers = {number["name"]: number["value"] for number in why["numbers"]}
        expected = -math.expm1(-numbers["rate"] * numbers["hazard"] * numbers["days"] * numbers["doubt"])
        self.assertAlmostEqual(why["probability"], expected, places=9)
        self.assertEqual([outage["cause"] for outage in why["outages"]], ["gpu"])
        text = self.done("explain", "n1")
        self.assertRegex(text, r"^n1: up\noutage probability within 24h: 0\.\d+ \(gamma\)\np = 1 - exp")
        self.assertRegex(text, r"\n  rate +\S+  outages per day: ")
        self.assertIn("outages, the latest 1 of 1 that the service tells:\n", text)
        self.assertEqual(self.changes()[-1]["action"], "event")
        self.assertIn('does not watch "n7"', self.refused("explain", "n7"))
        self.assertIn("a time above 0 like 90m", self.refused("explain", "n1", "--horizon", "soon", status=2))

    def connect(self):
        client = socket.socket(socket.AF_UNIX)
        self.addCleanup(client.close)
        client.setblocking(False)

        def connected():
            try:
                client.connect(self.socket)
                return True
            except BlockingIOError:  # as many wait as may
                return False
        wait_until(connected, "the daemon to accept")
        client.settimeout(DEADLINE)
        return client

    def say(self, data, end=True):
        """What the daemon answers to these bytes; everything up to the end of the connection."""
        client = self.connect()
        with contextlib.suppress(BrokenPipeError):  # it has heard enough
            client.sendall(data)
        if end:
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_WR)
        answer = b""
        with contextlib.suppress(ConnectionResetError):
            while part := client.recv(65536):
                answer += part
        return json.loads(answer) if answer else None

    def excluded(self, host):
        return self.service.hosts()[host].get("excluded")

    def test_excluded_hosts_are_avoided_until_they_are_included(self):
        self.start_all()
        before = time.time()
        self.assertEqual(self.done("exclude", "n[0-1]", "--reason", 'fan "2", right'),
                         "excluded: n[0-1] (2 hosts); jobs avoid them until somebody runs tofa health include\n")
        entry = self.service.hosts()["n1"]
        self.assertEqual((entry["state"], entry["probability"]), ("planned", 1), "as soon as it is acknowledged")
        self.assertEqual(entry["excluded"]["reason"], 'fan "2", right')
        self.assertTrue(before <= entry["excluded"]["since"] <= time.time())
        self.assertNotIn("until", entry["excluded"])
        self.assertIsNone(self.excluded("n2"))
        polled = entry["polled"]
        wait_until(lambda: self.service.hosts()["n1"]["polled"] > polled + 0.5, "more rounds")
        self.assertEqual(self.service.hosts()["n1"]["probability"], 1, "and it stays so")
        self.assertEqual(self.done("include", "n1", "n2"), "in use again: n1\nhad not been excluded: n2\n")
        self.assertIsNone(self.excluded("n1"))
        self.service.wait_for_state("n1", "up")
        self.assertEqual(self.service.hosts()["n1"]["probability"], 0)
        self.assertEqual([(c["action"], c["host"], c["uid"]) for c in self.changes()],
                         [("exclude", "n0", os.geteuid()), ("exclude", "n1", os.geteuid()), ("include", "n1", os.geteuid())])
        self.assertIn("excluded n[0-1] (fan", self.service.log("tofa-healthd.log"))

    def test_answers_as_json(self):
        self.start_all()
        until = int(time.time()) + 3600
        self.assertEqual(json.loads(self.done("exclude", "n1", "--reason", "r", "--until", str(until), "--json")),
                         {"version": 1, "hosts": "n1", "count": 1, "until": until})
        self.assertEqual(json.loads(self.done("include", "n[0-1]", "--json")),
                         {"version": 1, "hosts": "n1", "count": 1, "unchanged": "n0"})
        start = int(time.time()) - 60
        self.assertEqual(json.loads(self.done("event", "add", "n1", "--start", str(start), "--end", str(start + 1), "--json")),
                         {"version": 1, "hosts": "n1", "count": 1, "start": start, "end": start + 1})

    def test_mistakes_change_nothing(self):
        self.start_all()
        self.assertIn('does not watch "n7"', self.refused("exclude", "n1,n7", "--reason", "r"))
        self.assertIn('does not watch "n7"', self.refused("include", "n7"))
        self.assertIn('does not watch "n7"', self.refused("event", "add", "n7", "--start", str(time.time() - 9)))
        self.assertIn("n[1", self.refused("exclude", "n[1", "--reason", "r", status=2))
        self.assertIn("--reason", self.refused("exclude", "n1", status=2).replace("tofa: ", ""))
        self.assertIn("--until", self.refused("exclude", "n1", "--reason", "r", "--until", "soon", status=2))
        self.assertIn("passed already", self.refused("exclude", "n1", "--reason", "r", "--until", "2020-01-01"))
        self.assertIn("control characters", self.refused("exclude", "n1", "--reason", "a\nb", status=2))
        self.assertIn("one word", self.refused("event", "add", "n1", "--start", str(time.time() - 9), "--cause", "a b", status=2))
        self.assertIn("days ago", self.refused("event", "add", "n1", "--start", "2020-01-01T08:00"))
        self.assertIn("not over", self.refused("event", "add", "n1", "--start", str(time.time() + 3600)))
        self.assertEqual(self.changes(), [])
        self.assertEqual([], self.rows("SELECT * FROM outage"))

    def test_an_exclusion_runs_out_by_itself(self):
        _, healthd = self.start_all()
        self.done("exclude", "n0", "--reason", "r", "--until", str(time.time() + 3))
        self.done("exclude", "n1", "--reason", "r", "--until", "1h")
        self.assertLess(abs(self.excluded("n1")["until"] - time.time() - 3600), 60)
        self.assertEqual(self.stop(healthd, signal.SIGKILL), -signal.SIGKILL)
        os.remove(self.service.snapshot)
        self.start()
        self.service.wait_for_state("n0", "up")
        self.assertIsNone(self.excluded("n0"))
        self.assertEqual(self.service.hosts()["n1"]["state"], "planned", "across the restart")

    def test_what_is_acknowledged_survives_a_kill(self):
        _, healthd = self.start_all()
        for i in range(10):
            host = f"n{i % 3}"
            admin = self.connect()
            admin.sendall(b'{"version":1,"command":"exclude","hosts":"%b","reason":"r%d"}\n' % (host.encode(), i))
            answer = admin.recv(65536)
            healthd.kill()  # within microseconds
            self.assertEqual(json.loads(answer)["hosts"], host)
            healthd.wait(timeout=DEADLINE)
            os.remove(self.service.snapshot)
            healthd = self.start()
            self.assertEqual(self.service.wait_for_state(host, "planned")["excluded"]["reason"], f"r{i}")
        start = int(time.time()) - 100
        self.done("event", "add", "n1", "--start", str(start), "--end", str(start + 5), "--cause", "gpu")
        self.done("include", "n[0-2]")
        self.stop(healthd, signal.SIGKILL)
        os.remove(self.service.snapshot)
        healthd = self.start()
        for host in self.service.names:
            self.service.wait_for_state(host, "up")
        self.assertIn(("n1", start, start + 5, "gpu"), self.service.recorded_outages())
        self.assertGreater(self.service.hosts()["n1"]["rate"], 0)
        self.assertEqual(len(self.changes()), 14)
        self.assertEqual(self.stop(healthd), 0)
        self.assertFalse(os.path.exists(self.socket), "an end in order leaves no socket")

    def test_exclusions_outlive_a_damaged_database(self):
        _, healthd = self.start_all()
        self.done("exclude", "n1", "--reason", "fan", "--until", "1h")
        published = self.excluded("n1")
        self.assertEqual(self.stop(healthd), 0)
        with open(self.service.database, "wb") as file:
            file.write(b"not a database " * 1000)
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.service.database + "-wal")
        healthd = self.start()
        wait_until(lambda: "was damaged" in self.service.log("tofa-healthd.log"), "the complaint")
        self.assertEqual([c["action"] for c in self.changes()], ["exclude"])
        self.assertEqual(self.stop(healthd), 0)
        os.remove(self.service.snapshot)
        self.start()
        self.assertEqual(self.service.wait_for_state("n1", "planned")["excluded"], published)
        self.done("include", "n1")
        self.service.wait_for_state("n1", "up")

    def test_what_happens_to_an_excluded_host_is_no_outage(self):
        agents, _ = self.start_all()
        self.done("exclude", "n1", "--reason", "new board")
        self.stop(agents["n1"])
        self.stop(agents["n2"])
        self.service.wait_for_state("n2", "down")
        polled = self.service.hosts()["n1"]["polled"]
        wait_until(lambda: self.service.hosts()["n1"]["polled"] > polled + 1, "five rounds")
        self.assertEqual(self.service.hosts()["n1"]["state"], "planned")
        self.assertEqual([("n2",)], self.rows("SELECT host FROM outage"))
        self.service.start_agent("n1")
        self.done("include", "n1")
        self.service.wait_for_state("n1", "up")
        self.assertEqual(self.service.hosts()["n1"]["rate"], 0)
        self.assertEqual([("n2",)], self.rows("SELECT host FROM outage"))

    def test_an_excluded_host_may_start_anew_while_nobody_looks(self):
        agents = Agents(self.service)
        self.addCleanup(agents.close)
        healthd = self.start()
        for host in self.service.names:
            self.service.wait_for_state(host, "up")
        self.done("exclude", "n1", "--reason", "new board")
        wait_until(lambda: ("n1", 0) in self.rows("SELECT name, boot FROM host"), "its boot to be forgotten")
        self.assertEqual(self.stop(healthd), 0)
        agents.boots["n1"] = "c"
        healthd = self.start()
        self.service.wait_for_state("n1", "planned")
        self.done("include", "n1")
        self.service.wait_for_state("n1", "up")
        self.assertEqual(self.stop(healthd), 0)
        self.assertEqual([], self.rows("SELECT * FROM outage"))

    def test_what_is_exported_can_be_replayed(self):
        self.start_all()
        now = int(time.time())
        self.done("event", "add", "n[0-1]", "--start", str(now - 7200), "--end", str(now - 3600), "--cause", "gpu")
        self.done("event", "add", "n0", "--start", str(now - 1800.25))
        self.done("exclude", "n2", "--reason", 'a "b", c|d', "--until", "1h")
        self.assertIn("known already (gpu)", self.refused("event", "add", "n0", "--start", str(now - 4000)))
        text = self.done("export")
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual([(row["host"], row["cause"], row["state"]) for row in rows],
                         [("n0", "gpu", "down"), ("n1", "gpu", "down"), ("n0", "manual", "down"), ("n0", "gpu", "entered"),
                          ("n1", "gpu", "entered"), ("n0", "manual", "entered"), ("n2", 'a "b", c|d', "excluded")])
        self.assertRegex(rows[2]["start"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.750Z$")
        log = self.service.path("history.csv")
        with open(log, "w") as file:
            file.write(text)
        replayed = subprocess.run([os.path.join(BIN, "tofa"), "health", "backtest", "--log", log, "--hosts", "n[0-2]",
                                   "--json"], capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(replayed.returncode, 0, replayed.stderr)
        replayed = json.loads(replayed.stdout)
        self.assertEqual((replayed["outages"], replayed["planned"]), (3, 4))

    def test_the_history_is_exported_in_pieces(self):
        self.service.start_agents()
        healthd = self.start()
        self.service.wait_for_state("n0", "up")
        self.assertEqual(self.stop(healthd), 0)
        now = int(time.time())
        with contextlib.closing(sqlite3.connect(self.service.database)) as database, database:
            database.executemany("INSERT INTO outage (host, start, end) VALUES (?, ?, ?)",
                                 [("n0", now - 10 * i, now - 10 * i + 1) for i in range(6000, 10, -1)])
        self.start()
        outages = json.loads(self.done("export", "--json"))["outages"]
        self.assertEqual(len(outages), 5990)
        self.assertEqual(outages[0], {"host": "n0", "start": now - 60000, "end": now - 59999, "cause": "heartbeat",
                                      "observed": True})

    @unittest.skipUnless(os.geteuid() == 0, "only root can become others")
    def test_who_may(self):
        self.let_others_in()
        self.configure(GROUP)
        self.service.start_agents()
        self.start()
        self.service.wait_for_state("n0", "up")
        info = os.stat(self.socket)
        gid = grp.getgrnam(GROUP).gr_gid
        self.assertEqual((stat.S_IMODE(info.st_mode), info.st_gid), (0o660, gid))
        stranger = {"user": NOBODY, "group": NOBODY, "extra_groups": [NOBODY]}
        asked = ("exclude", "n0", "--reason", "r")
        self.assertIn(f"members of the group {GROUP}", self.refused(*asked, **stranger))
        self.done(*asked, **{**stranger, "group": gid})
        self.done(*asked, **{**stranger, "extra_groups": [4, gid]})
        self.assertEqual([(c["uid"], c["user"]) for c in self.changes()], [(NOBODY, "nobody")] * 2)
        # Where the file lets everybody in, the daemon does not.
        os.chmod(self.socket, 0o666)
        said = self.refused(*asked, **stranger)
        self.assertIn(f"uid {NOBODY} may not", said)
        self.assertIn(f"members of the group {GROUP}", said)
        self.assertIn("uid 65534 may not", self.refused("export", **stranger))
        self.assertEqual(len(self.changes()), 2)

    @unittest.skipUnless(os.geteuid() == 0, "only root can become others")
    def test_without_a_group_it_is_for_root_and_the_daemon(self):
        self.let_others_in()
        self.start_all()
        self.assertEqual(stat.S_IMODE(os.stat(self.socket).st_mode), 0o600)
        os.chmod(self.socket, 0o666)
        self.assertIn("may not", self.refused("include", "n0", user=NOBODY, group=0, extra_groups=[0]))

    def test_garbage_is_answered_and_forgotten(self):
        _, healthd = self.start_all()
        for data in (b"\n", b"x\n", b"\0" * 100, b"\xff\xfe\n", b"{}\n", b"[" * LONGEST_REQUEST, b"{" * 9 + b"\n",
                     b'{"version":1,"command":"exclude","hosts":"n1"', b"{}\n{}\n", b"x" * (LONGEST_REQUEST + 1),
                     b"x" * 1_000_000):
            self.assertIn("error", self.say(data), data[:20])
        self.assertIsNone(self.say(b""), "who says nothing is told nothing")
        half = self.connect()
        half.sendall(b'{"version":1,')
        self.assertIn("no whole request", json.loads(half.recv(65536))["error"])
        for _ in range(20):  # gone before the answer
            gone = self.connect()
            gone.sendall(b'{"version":1,"command":"export","table":"changes"}\n')
            gone.close()
        self.assertEqual(self.changes(), [])
        self.assert_running(healthd)

    def test_silent_connections_hold_nobody_up(self):
        self.start_all()
        silent = [self.connect() for _ in range(50)]
        honest = self.connect()
        honest.sendall(b'{"version":1,"command":"exclude","hosts":"n1","reason":"r"}\n')
        self.assertEqual(json.loads(honest.recv(65536))["hosts"], "n1")
        silent += [self.connect() for _ in range(150)]
        self.assertEqual(self.done("include", "n1"), "in use again: n1\n")
        # Nor the heartbeats: all have answered all the time.
        polled = self.service.hosts()["n0"]["polled"]
        wait_until(lambda: self.service.hosts()["n0"]["polled"] > polled + 0.5, "more rounds")
        self.assertEqual([], self.rows("SELECT * FROM outage"))
        for client in silent:
            with contextlib.suppress(ConnectionResetError):
                client.recv(65536)  # told that it was too slow, or sent away

    def test_a_socket_of_the_dead_is_replaced_and_of_the_living_is_not(self):
        _, healthd = self.start_all()
        self.stop(healthd, signal.SIGKILL)
        self.assertTrue(os.path.exists(self.socket))
        self.assertIn("is tofa-healthd running?", self.refused("include", "n0"))
        healthd = self.start()
        self.done("include", "n0")
        database, self.service.database = self.service.database, self.service.path("other.db")
        snapshot, self.service.snapshot = self.service.snapshot, self.service.path("other.json")
        self.configure()
        second = self.service.start_healthd()
        self.assertEqual(second.wait(timeout=DEADLINE), 1)
        self.assertIn("another tofa-healthd listens there", self.service.log("tofa-healthd.log"))
        self.service.database, self.service.snapshot = database, snapshot
        self.done("include", "n0")
        self.assert_running(healthd)

    def test_what_is_no_socket_is_left_alone(self):
        with open(self.socket, "w") as file:
            file.write("precious")
        healthd = self.service.start_healthd()
        self.assertEqual(healthd.wait(timeout=DEADLINE), 1)
        self.assertIn("is there already and no socket", self.service.log("tofa-healthd.log"))
        with open(self.socket) as file:
            self.assertEqual(file.read(), "precious")

    def test_an_unknown_group_is_named(self):
        self.configure("no-such-group")
        healthd = self.service.start_healthd()
        self.assertEqual(healthd.wait(timeout=DEADLINE), 1)
        self.assertIn('there is no group "no-such-group"', self.service.log("tofa-healthd.log"))
        checked = subprocess.run([os.path.join(BIN, "tofa-healthd"), "--config", self.service.config, "--check"],
                                 capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual((checked.returncode, checked.stdout), (1, ""))
        self.assertIn('there is no group "no-such-group"', checked.stderr)

    def reload(self, healthd):
        log = "tofa-healthd.log"
        before = self.service.log(log).count("configuration")
        healthd.send_signal(signal.SIGHUP)
        wait_until(lambda: self.service.log(log).count("configuration") > before, "the reload")

    def test_it_is_reloaded(self):
        _, healthd = self.start_all()
        self.done("exclude", "n1", "--reason", "r")
        self.configure("root")
        self.reload(healthd)
        self.done("include", "n0")
        self.assertEqual(stat.S_IMODE(os.stat(self.socket).st_mode), 0o660, "the same place, another group")
        moved = self.service.path("moved.sock")
        self.configure(path=moved)
        self.reload(healthd)
        self.assertFalse(os.path.exists(self.socket))
        self.done("include", "n0", path=moved)
        self.configure("no-such-group")
        self.reload(healthd)
        self.done("include", "n0", path=moved)
        self.service.write_config()
        self.reload(healthd)
        self.assertFalse(os.path.exists(moved))
        self.assertIn("[control]", self.refused("include", "n0", path=moved))
        self.assertEqual(self.service.hosts()["n1"]["state"], "planned", "what was changed stays")

    def test_what_cannot_be_saved_is_refused(self):
        _, healthd = self.start_all()
        self.done("exclude", "n0", "--reason", "r")
        resource.prlimit(healthd.pid, resource.RLIMIT_FSIZE, (2048, resource.RLIM_INFINITY))
        wait_until(lambda: self.tofa("exclude", "n1", "--reason", "r").returncode == 1, "a refusal")
        resource.prlimit(healthd.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        wait_until(lambda: self.tofa("include", "n1").returncode == 0, "all to be well again")
        self.assertNotIn("n2", [change["host"] for change in self.changes()])

    def test_a_daemon_that_hangs_is_not_waited_for(self):
        _, healthd = self.start_all()
        healthd.send_signal(signal.SIGSTOP)
        self.assertIn("did not answer in time", self.refused("include", "n0", deadline=0.2))
        full = [self.socket_that_waits() for _ in range(100)]
        self.assertIn("did not answer in time", self.refused("include", "n0", deadline=0.2))
        for client in full:
            client.close()
        healthd.send_signal(signal.SIGCONT)
        self.done("include", "n0")

    def socket_that_waits(self):
        """A client that the daemon has not accepted, or cannot even be queued any more."""
        client = socket.socket(socket.AF_UNIX)
        self.addCleanup(client.close)
        client.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            client.connect(self.socket)
        return client

    def test_nobody_listens_unless_configured(self):
        self.service.write_config()
        self.service.start_agents()
        self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        self.assertFalse(os.path.exists(self.socket))
        self.assertIn("is tofa-healthd running here", self.refused("export"))


if __name__ == "__main__":
    unittest.main(verbosity=2)

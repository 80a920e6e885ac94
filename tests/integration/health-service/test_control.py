# SPDX-License-Identifier: BSD-3-Clause
"""Admins tell a running tofa-healthd what it cannot know, for good."""
import contextlib
import json
import os
import resource
import signal
import time
import unittest

from control import ControlTest
from fake_agents import Agents
from service import DEADLINE, wait_until


class Control(ControlTest):
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
        self.done("exclude", "n0", "--reason", "r", "--until", str(time.time() + 6))
        self.assertEqual(self.excluded("n0")["reason"], "r")
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

    def test_what_cannot_be_saved_is_refused(self):
        _, healthd = self.start_all()
        self.done("exclude", "n0", "--reason", "r")
        resource.prlimit(healthd.pid, resource.RLIMIT_FSIZE, (2048, resource.RLIM_INFINITY))
        wait_until(lambda: self.tofa("exclude", "n1", "--reason", "r").returncode == 1, "a refusal")
        resource.prlimit(healthd.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        wait_until(lambda: self.tofa("include", "n1").returncode == 0, "all to be well again")
        self.assertNotIn("n2", [change["host"] for change in self.changes()])


if __name__ == "__main__":
    unittest.main(verbosity=2)

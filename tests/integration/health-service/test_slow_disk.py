# SPDX-License-Identifier: BSD-3-Clause
"""A disk that hangs for many rounds: all hosts are polled in every round, nothing is published that is not saved, and all is
saved when it answers again."""
import concurrent.futures
import contextlib
import os
import signal
import subprocess
import time
import unittest

from fake_agents import Agents
from service import BIN, DEADLINE, Service, ServiceTest, wait_until

PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "..", "docs", "troubleshooting.md")
HOSTS = 200
DOWN_AFTER = 8
ROUNDS = 30  # for which the disk hangs at least


class SlowDisk(ServiceTest):
    def setUp(self):
        self.service = Service(hosts=HOSTS)
        self.addCleanup(self.service.close)
        self.socket = self.service.path("control.sock")
        # Patient, so that agents that a busy machine holds up are not down.
        self.service.write_config(f'method = "moving-average"\ndown_after = {DOWN_AFTER}',
                                  more=f'[control]\nsocket = "{self.socket}"\n')
        self.hanging = self.service.disk_that_hangs["TOFA_DISK_HANGS"]
        self.addCleanup(self.answer_again)
        self.agents = Agents(self.service)
        self.addCleanup(self.agents.close)

    def start_healthd(self):
        with contextlib.suppress(FileNotFoundError):  # the next is this daemon's own
            os.remove(self.service.snapshot)
        healthd = self.service.start_healthd(self.service.disk_that_hangs)
        wait_until(lambda: [entry["state"] for entry in self.service.hosts().values()] == ["up"] * HOSTS, "all to be up")
        wait_until(lambda: self.rows("SELECT count(*) FROM host WHERE seen = 1") == [(HOSTS,)], "all to be saved")
        return healthd

    def hang(self):
        with open(self.hanging, "w"):
            pass
        self.agents.await_rounds(3)  # whatever was on its way has arrived

    def answer_again(self):
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.hanging)

    def check_published_is_saved(self):
        saved = {(host, start): end for host, start, end in self.rows("SELECT host, start, end FROM outage")}
        for outage in self.published()["outages"]:
            self.assertIn((outage["host"], outage["start"]), saved)
            self.assertIn(outage["end"], (0, saved[outage["host"], outage["start"]]))
        up = dict(self.rows("SELECT name, up FROM host"))
        for host, entry in self.service.hosts().items():
            self.assertIn(host, up)
            if entry["state"] == "down":
                self.assertEqual(up[host], 0, host)

    def tofa(self, *arguments):
        return subprocess.run([os.path.join(BIN, "tofa"), "health", *arguments, "--socket", self.socket, "--deadline", "60"],
                              capture_output=True, text=True, timeout=DEADLINE)

    def test_no_round_is_missed_and_nothing_is_lost(self):
        healthd = self.start_healthd()
        self.hang()
        before, old = self.agents.rounds(), self.published()
        self.agents.silent = {"n7", "n9"}
        self.agents.await_rounds(ROUNDS // 2)
        self.agents.silent = {"n7"}
        self.agents.await_rounds(ROUNDS // 2)
        complaint = "has not answered for"
        wait_until(lambda: complaint in self.log(), "the complaint")
        with open(PAGE, encoding="utf-8") as page:
            self.assertIn(f"`{complaint}`", page.read())
        rounds = [now - before[host] for host, now in self.agents.rounds().items()]
        self.assertGreaterEqual(min(rounds), ROUNDS)
        self.assertLessEqual(max(rounds) - min(rounds), 1, "each round asks all hosts")
        self.assertEqual(self.published(), old, "the old snapshot stays")
        self.assertEqual([], self.rows("SELECT * FROM outage"))
        for text in ("n7 is down", "n9 is down", "n9 is up again"):  # memory goes on
            self.assertEqual(self.log().count(text), 1, text)
        self.assert_running(healthd)
        answered = time.time()
        self.answer_again()
        # The first one to come was begun when the disk began to hang.
        wait_until(lambda: self.published()["time"] > answered, "a snapshot of what is known by now")
        self.check_published_is_saved()
        self.assertGreater(min(entry["polled"] for entry in self.service.hosts().values()), old["time"])
        self.assertEqual([("n7",), ("n9",)], self.rows("SELECT host FROM outage ORDER BY host"))
        [(start, end)] = self.rows("SELECT start, end FROM outage WHERE host = 'n9'")
        self.assertTrue(old["time"] < start < end)
        self.assertEqual([(None, )], self.rows("SELECT end FROM outage WHERE host = 'n7'"))
        self.agents.silent = set()
        self.service.wait_for_state("n7", "up")
        self.wait_for_log("the disk answers again")
        self.assertEqual(self.stop(healthd), 0)
        self.assertEqual([(2,)], self.rows("SELECT count(end) FROM outage"))
        self.assertEqual([("n7", 1), ("n9", 1)],
                         self.rows("SELECT host, sum(outages) FROM exposure GROUP BY host HAVING sum(outages) > 0"))

    def test_killed_while_it_hangs(self):
        for host in ("n3", "n4", "n5"):
            healthd = self.start_healthd()
            self.hang()
            self.agents.silent = {host}
            wait_until(lambda: f"{host} is down" in self.log(), f"{host} to be down")
            self.agents.await_rounds(3)
            self.stop(healthd, signal.SIGKILL)
            self.answer_again()
            self.assertEqual(self.service.hosts()[host]["state"], "up", "what is not saved is not published")
            self.check_published_is_saved()
            self.agents.silent = set()

    def test_asked_to_stop_while_it_hangs(self):
        healthd = self.start_healthd()
        self.hang()
        self.agents.silent = {"n3"}
        wait_until(lambda: "n3 is down" in self.log(), "n3 to be down")
        self.assertEqual(self.stop(healthd), 1)
        self.assertIn("the state could not be saved within", self.log())
        self.check_published_is_saved()
        self.answer_again()
        self.agents.silent = set()
        healthd = self.start_healthd()
        self.hang()
        self.agents.silent = {"n4"}
        wait_until(lambda: "n4 is down" in self.log(), "n4 to be down")
        # Whoever is told or not, an event that is saved is saved as a whole.
        with concurrent.futures.ThreadPoolExecutor() as admin:
            admin.submit(self.tofa, "event", "add", "n5", "--start", str(time.time() - 60))
            self.agents.await_rounds(3)
            healthd.send_signal(signal.SIGTERM)
            self.answer_again()
            self.assertEqual(healthd.wait(timeout=DEADLINE), 0)
        self.assertIn(("n4",), self.rows("SELECT host FROM outage WHERE end IS NULL"))
        self.assertEqual(self.rows("SELECT count(*) FROM outage WHERE host = 'n5'"),
                         self.rows("SELECT coalesce(sum(outages), 0) FROM exposure WHERE host = 'n5'"))

    def test_admins_are_told(self):
        healthd = self.start_healthd()
        self.assertEqual(self.tofa("exclude", "n1", "--reason", "fan").returncode, 0)
        self.hang()
        before = self.agents.rounds()
        commands = ("exclude", "n2", "--reason", "fan"), ("include", "n1"), ("export",)
        with concurrent.futures.ThreadPoolExecutor() as admins:
            refused = list(admins.map(lambda command: self.tofa(*command), commands))
        for result in refused:
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertIn("the disk of the database has not answered for 8 s; nothing was changed", result.stderr)
        self.assertGreater(min(now - before[host] for host, now in self.agents.rounds().items()), 10)
        self.answer_again()
        wait_until(lambda: self.tofa("include", "n2").returncode == 0, "the disk to answer")
        self.assertEqual([("n1", "exclude")], self.rows("SELECT host, action FROM change"))
        self.assertEqual(self.service.hosts()["n1"]["state"], "planned")
        self.service.wait_for_state("n2", "up")
        self.assertEqual(self.stop(healthd), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)

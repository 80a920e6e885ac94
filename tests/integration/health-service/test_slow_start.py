# SPDX-License-Identifier: BSD-3-Clause
"""A disk that hangs when the daemon starts, or for a while after: hosts are polled from the first moment, the last snapshot
stays and says that the disk is waited for, admins are told, and once the disk answers all that was observed counts, beside
what was known before."""
import contextlib
import os
import signal
import socket
import subprocess
import unittest

from fake_agents import Agents
from service import BIN, DEADLINE, Service, ServiceTest, wait_until

PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "..", "docs", "troubleshooting.md")
HOSTS = 20
DOWN_AFTER = 8
WAITING = "waiting for the disk of "


class SlowStart(ServiceTest):
    def setUp(self):
        self.service = Service(hosts=HOSTS)
        self.addCleanup(self.service.close)
        self.disk = self.service.path("disk")
        os.mkdir(self.disk)
        self.service.database = os.path.join(self.disk, "health.db")
        self.socket = self.service.path("control.sock")
        self.service.write_config(f'method = "moving-average"\ndown_after = {DOWN_AFTER}',
                                  more=f'[control]\nsocket = "{self.socket}"\n')
        self.environment = {**self.service.disk_that_hangs, "TOFA_DISK_FOLDER": self.disk}
        self.hanging = self.environment["TOFA_DISK_HANGS"]
        self.addCleanup(self.answer_again)
        self.agents = Agents(self.service)
        self.addCleanup(self.agents.close)

    def hang(self):
        with open(self.hanging, "w"):
            pass

    def answer_again(self):
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.hanging)

    def start_healthd(self, **more):
        return self.service.start_healthd({**self.environment, **more})

    def learn(self):
        """An earlier run, in which n1 failed, and n2 did and is still down; n3 is excluded."""
        healthd = self.start_healthd()
        wait_until(lambda: [entry["state"] for entry in self.service.hosts().values()] == ["up"] * HOSTS, "all to be up")
        self.agents.silent = {"n1", "n2"}
        self.service.wait_for_state("n1", "down")
        self.service.wait_for_state("n2", "down")
        self.agents.silent = {"n2"}
        self.service.wait_for_state("n1", "up")
        self.assertEqual(self.tofa("exclude", "n3", "--reason", "fan").returncode, 0)
        self.assertEqual(self.stop(healthd), 0)
        self.assertEqual(self.rows("SELECT count(*), count(end) FROM outage"), [(2, 1)])
        return self.published()

    def tofa(self, *arguments):
        return subprocess.run([os.path.join(BIN, "tofa"), "health", *arguments, "--socket", self.socket],
                              capture_output=True, text=True, timeout=DEADLINE)

    def waits(self):
        return any(WAITING in warning for warning in self.warnings())

    def outages(self):
        return self.rows("SELECT host, end IS NULL FROM outage ORDER BY start, host")

    def test_the_disk_comes_back_later(self):
        old = self.learn()
        self.hang()
        healthd = self.start_healthd()
        self.agents.await_rounds(DOWN_AFTER)
        self.agents.silent = {"n2", "n4"}  # n4 for a while
        self.agents.await_rounds(2 * DOWN_AFTER)
        self.agents.silent = {"n5"}  # n2 is back, n5 fails and stays so
        self.agents.await_rounds(2 * DOWN_AFTER)
        wait_until(self.waits, "the snapshot to say so")
        told = self.published()
        self.assertEqual({**told, "warnings": []}, {**old, "warnings": []}, "all else stays, with its age")
        self.assertIn(WAITING + self.service.database, told["warnings"][0])
        with open(PAGE, encoding="utf-8") as page:
            self.assertIn(f"`{WAITING.strip()}`", page.read())
        for command in ("exclude", "n6", "--reason", "fan"), ("include", "n3"), ("export",), ("explain", "n1"):
            result = self.tofa(*command)
            self.assertEqual((result.returncode, result.stdout), (1, ""), command)
            self.assertIn(WAITING + self.service.database, result.stderr)
            self.assertIn("nothing was changed", result.stderr)
        self.assertNotIn("n5 is down", self.log(), "nobody knows yet whether it has ever been up")
        self.answer_again()
        wait_until(lambda: self.published()["time"] > old["time"], "another snapshot")
        now = self.published()
        self.assertFalse(self.waits())
        states = {entry["host"]: entry["state"] for entry in now["hosts"]}
        self.assertEqual(states.pop("n3"), "planned")
        self.assertEqual([host for host, state in states.items() if state != "up"], ["n5"])
        # Nothing is lost: all outages of before, the end of n2's, and those that nobody could note down meanwhile.
        self.assertEqual(self.outages(), [("n1", 0), ("n2", 0), ("n4", 0), ("n5", 1)])
        self.assertEqual([(outage["host"], outage["end"] > 0) for outage in now["outages"]],
                         [("n1", True), ("n2", True), ("n4", True), ("n5", False)])
        [(start, end)] = self.rows("SELECT start, end FROM outage WHERE host = 'n4'")
        self.assertTrue(old["time"] < start < end < now["time"])
        [(observed, end)] = self.rows("SELECT observed, end FROM outage WHERE host = 'n2'")
        self.assertEqual(observed, 1, "it was seen to come back")
        self.assertGreater(end, start)
        self.assertEqual(self.tofa("include", "n3").returncode, 0)
        self.assertEqual(self.stop(healthd), 0)

    def test_nothing_is_known_of_an_earlier_run(self):
        self.hang()
        healthd = self.start_healthd()
        self.agents.await_rounds(3)
        wait_until(self.waits, "a snapshot that says so")
        self.assertEqual((self.published()["hosts"], self.published()["outages"]), ([], []))
        # Such a snapshot is no history that the database lacks.
        self.stop(healthd, signal.SIGKILL)
        self.answer_again()
        healthd = self.start_healthd()
        wait_until(lambda: [entry["state"] for entry in self.service.hosts().values()] == ["up"] * HOSTS, "all to be up")
        self.assertEqual(self.warnings(), [])
        self.assertEqual(self.stop(healthd), 0)

    def test_killed_while_it_waits(self):
        old = self.learn()
        self.hang()
        healthd = self.start_healthd()
        self.agents.silent = {"n4"}
        wait_until(self.waits, "the snapshot to say so")
        self.stop(healthd, signal.SIGKILL)
        self.assertEqual(self.published()["outages"], old["outages"])
        self.answer_again()
        healthd = self.start_healthd()
        self.service.wait_for_state("n4", "down")
        self.assertEqual(self.warnings(), [])
        self.assertEqual(self.outages(), [("n1", 0), ("n2", 0), ("n4", 1)])
        self.assertEqual(self.stop(healthd), 0)

    def test_asked_to_stop_while_it_waits(self):
        self.learn()
        self.hang()
        healthd = self.start_healthd()
        self.agents.silent = {"n4"}
        self.agents.await_rounds(2 * DOWN_AFTER)
        self.assertEqual(self.stop(healthd), 1)
        self.assertIn("the state could not be saved within", self.log())
        self.answer_again()
        self.assertEqual(self.outages(), [("n1", 0), ("n2", 1)])
        self.hang()
        healthd = self.start_healthd()
        self.agents.await_rounds(2 * DOWN_AFTER)
        healthd.send_signal(signal.SIGTERM)
        self.answer_again()
        self.assertEqual(healthd.wait(timeout=DEADLINE), 0, "the disk answered in time")
        self.assertEqual(self.outages(), [("n1", 0), ("n2", 0), ("n4", 1)])

    def test_another_configuration_while_it_waits(self):
        self.learn()
        self.hang()
        healthd = self.start_healthd()
        self.agents.silent = {"n5"}
        self.agents.await_rounds(2 * DOWN_AFTER)
        self.service.names.remove("n0")  # all others have other places
        with open(self.service.config) as file:
            text = file.read()
        before, _, after = text.partition('[[host]]\nname = "n0"\n')
        with open(self.service.config, "w") as file:
            file.write(before + after.partition("\n")[2])
        healthd.send_signal(signal.SIGHUP)
        self.wait_for_log(f"configuration reloaded: {HOSTS - 1} hosts")
        self.agents.silent = set()
        asked = dict(self.agents.rounds())
        wait_until(lambda: self.agents.rounds()["n5"] > asked["n5"] + 2, "more rounds")
        self.answer_again()
        wait_until(lambda: self.outages() == [("n1", 0), ("n2", 0), ("n5", 0)], "the outages of both times")
        wait_until(lambda: "n0" not in {entry["host"] for entry in self.published()["hosts"]}, "the snapshot that follows the commit")
        self.assertEqual(self.stop(healthd), 0)

    def test_systemd_is_told(self):
        address = self.service.path("notify")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(address)
            manager.settimeout(DEADLINE)
            self.hang()
            healthd = self.start_healthd(NOTIFY_SOCKET=address)
            self.assertIn("STATUS=" + WAITING, manager.recv(4096).decode())
            wait_until(lambda: manager.recv(4096) == b"READY=1", "the start not to wait any longer")
            self.answer_again()
            wait_until(lambda: f"STATUS=polling {HOSTS} hosts" in manager.recv(4096).decode(), "the usual status")
            self.assertEqual(self.stop(healthd), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)

# SPDX-License-Identifier: BSD-3-Clause
"""A disk that is full or read-only, at the start and later: tofa-healthd goes on in memory, says so, saves when it can, and
does not claim to have saved what it has not. The disks are small ones of this test's own, in a mount namespace of its own."""
import contextlib
import ctypes
import json
import os
import subprocess
import unittest

from service import DEADLINE, Service, ServiceTest, wait_until

CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000


def setUpModule():
    uid, gid = os.getuid(), os.getgid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS if uid == 0 else CLONE_NEWNS | CLONE_NEWUSER) != 0:
        raise unittest.SkipTest("no mount namespace: " + os.strerror(ctypes.get_errno()))
    if uid != 0:
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    mount("--make-rprivate", "/")


def mount(*arguments):
    subprocess.run(["mount", *arguments], check=True, capture_output=True, timeout=DEADLINE)


class Disks(ServiceTest):
    def setUp(self):
        super().setUp()
        self.disk = self.service.path("disk")
        os.mkdir(self.disk)
        mount("-t", "tmpfs", "-o", "size=1m", "tofa-test", self.disk)
        self.addCleanup(subprocess.run, ["umount", "--lazy", self.disk], timeout=DEADLINE)
        self.service.database = os.path.join(self.disk, "health.db")
        self.service.write_config()
        self.agents = self.service.start_agents()

    def fill(self):
        with contextlib.suppress(OSError), open(os.path.join(self.disk, "filler"), "wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))

    def free(self):
        os.remove(os.path.join(self.disk, "filler"))

    def make_history(self):
        """n1 has been down once; the database knows."""
        healthd = self.service.start_healthd()
        self.service.wait_for_state("n1", "up")
        self.take_down("n1")
        self.agents["n1"] = self.service.start_agent("n1")
        self.service.wait_for_state("n1", "up")
        self.assertEqual(self.stop(healthd), 0)
        self.assertEqual([("n1",)], self.rows("SELECT host FROM outage"))
        os.remove(self.service.snapshot)

    def take_down(self, host):
        self.stop(self.agents[host])
        self.service.wait_for_state(host, "down")

    def outages(self):
        with open(self.service.snapshot) as file:
            return [outage["host"] for outage in json.load(file)["outages"]]

    def check_saves_all_later(self, healthd, hosts):
        wait_until(lambda: not self.warnings(), "no warning any more")
        self.assertIn("can be written now", self.service.log("tofa-healthd.log"))
        wait_until(lambda: self.rows("SELECT host FROM outage ORDER BY start") == hosts, "the outages")
        self.assertEqual(self.stop(healthd), 0)
        self.assertEqual(hosts, self.rows("SELECT host FROM outage ORDER BY start"))

    def test_full_at_the_first_start(self):
        self.fill()
        healthd = self.service.start_healthd()
        wait_until(self.warnings, "a warning in the snapshot")
        self.assertIn("nothing can be saved", self.warnings()[0])
        self.assertIn("going on in memory", self.service.log("tofa-healthd.log"))
        self.service.wait_for_state("n0", "up")
        self.take_down("n0")
        self.free()
        self.check_saves_all_later(healthd, [("n0",)])

    def test_full_at_a_later_start(self):
        self.make_history()
        self.fill()
        healthd = self.service.start_healthd()
        self.service.wait_for_state("n1", "up")
        self.assertEqual(["n1"], self.outages())
        self.take_down("n0")
        self.free()
        self.check_saves_all_later(healthd, [("n1",), ("n0",)])

    def test_full_while_running(self):
        healthd = self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        wait_until(lambda: self.rows("SELECT * FROM host"), "a first save")
        self.fill()
        self.take_down("n0")
        wait_until(lambda: "stay in memory" in self.service.log("tofa-healthd.log"), "the complaint")
        wait_until(self.warnings, "a warning in the snapshot")
        self.assertIn("the last save failed", self.warnings()[0])
        self.assert_running(healthd)
        self.free()
        wait_until(lambda: self.rows("SELECT host FROM outage") == [("n0",)], "the outage")
        wait_until(lambda: not self.warnings(), "no warning any more")
        self.assertEqual(self.stop(healthd), 0)

    def test_what_is_not_saved_at_the_end_is_an_error(self):
        self.make_history()
        healthd = self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        self.fill()
        self.take_down("n0")
        self.assertEqual(self.stop(healthd), 1)
        self.assertIn("could not be saved", self.service.log("tofa-healthd.log"))
        self.free()
        # It is in the snapshot still.
        self.service.start_healthd()
        wait_until(lambda: ("n0",) in self.rows("SELECT host FROM outage"), "the outage that was published")

    def test_read_only_at_start(self):
        self.make_history()
        mount("-o", "remount,ro", self.disk)
        healthd = self.service.start_healthd()
        self.service.wait_for_state("n1", "up")
        self.assertEqual(["n1"], self.outages())
        self.assertIn("nothing can be saved", self.warnings()[0])
        self.assertEqual(self.stop(healthd), 1)
        healthd = self.service.start_healthd()
        wait_until(lambda: self.service.log("tofa-healthd.log").count("going on in memory") == 2, "the second start")
        self.take_down("n0")
        mount("-o", "remount,rw", self.disk)
        self.check_saves_all_later(healthd, [("n1",), ("n0",)])

    def test_read_only_with_a_log_that_a_kill_left(self):
        self.make_history()
        healthd = self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        self.take_down("n0")
        healthd.kill()
        healthd.wait(timeout=DEADLINE)
        self.assertGreater(os.path.getsize(self.service.database + "-wal"), 0)
        mount("-o", "remount,ro", self.disk)
        os.remove(self.service.snapshot)
        self.service.start_healthd()
        self.service.wait_for_state("n0", "down")
        self.assertEqual(["n1", "n0"], self.outages())

    def test_a_second_daemon_by_any_path_is_refused(self):
        self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        elsewhere = self.service.path("elsewhere")
        os.mkdir(elsewhere)
        mount("--bind", self.disk, elsewhere)
        self.addCleanup(subprocess.run, ["umount", "--lazy", elsewhere], timeout=DEADLINE)
        os.symlink(self.service.database, self.service.path("symbolic.db"))
        os.link(self.service.database, os.path.join(self.disk, "hard.db"))
        for path in (os.path.join(elsewhere, "health.db"), self.service.path("symbolic.db"),
                     os.path.join(self.disk, "hard.db")):
            other = Service()
            self.addCleanup(other.close)
            other.database = path
            other.write_config()
            self.assertEqual(other.start_healthd().wait(timeout=DEADLINE), 1, path)
            self.assertIn("another tofa-healthd", other.log("tofa-healthd.log"))


if __name__ == "__main__":
    unittest.main(verbosity=2)

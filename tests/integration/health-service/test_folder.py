# SPDX-License-Identifier: BSD-3-Clause
"""A folder that other tools write to as a source of health."""
import json
import os
import shutil
import time
import unittest

from service import ServiceTest, wait_until


class Folder(ServiceTest):
    def setUp(self):
        super().setUp()
        self.folder = self.service.path("reports")
        os.mkdir(self.folder)
        self.configure()

    def configure(self, max_age=3600, heartbeats="false"):
        self.service.write_config(more=f'[folder]\npath = "{self.folder}"\nmax_age = {max_age}\nperiod = 0.1\n')
        with open(self.service.config) as file:
            text = file.read()
        with open(self.service.config, "w") as file:
            file.write(text.replace("[poll]", f"[poll]\nheartbeats = {heartbeats}"))

    def write(self, name, text, age=0):
        """As a tool should: a whole file is renamed into its place."""
        path = os.path.join(self.folder, name)
        with open(path + ".tmp", "wb") as file:
            file.write(text.encode() if isinstance(text, str) else text)
        os.utime(path + ".tmp", (time.time() - age, time.time() - age))
        os.rename(path + ".tmp", path)

    def wait_for_rounds(self, host, count=5, young=None):
        """`young`: a file that is not to grow older meanwhile."""
        polled = set()

        def more():
            if young:
                os.utime(young)
            polled.add(self.service.hosts()[host]["polled"])
            return len(polled) > count
        wait_until(more, "more rounds")

    def causes(self):
        with open(self.service.snapshot) as file:
            return [(outage["host"], outage.get("reason", outage["cause"])) for outage in json.load(file)["outages"]]


class Alone(Folder):
    """No tofa-noded anywhere."""

    def test_a_host_goes_down_and_comes_back_with_its_reason_kept(self):
        self.write("burn-in", "n0 up\nn1 up\n# n2 is new\nn2 planned until tomorrow\n")
        self.service.start_healthd()
        self.service.wait_for_state("n1", "up")
        self.service.wait_for_state("n2", "planned")
        self.write("burn-in", "n0 up\nn1 down memory: 3 errors\nn2 up\n")
        self.assertEqual(self.service.wait_for_state("n1", "down")["probability"], 1)
        self.service.wait_for_state("n2", "up")
        self.write("burn-in", "n0 up\nn1 up\nn2 up\n")
        self.service.wait_for_state("n1", "up")
        self.assertEqual(self.causes(), [("n1", "folder burn-in: memory: 3 errors")])
        self.assertEqual(self.warnings(), [])

    def test_a_file_per_host_and_the_worst_of_all(self):
        for host in ("n0", "n1", "n2"):
            self.write(host, "up\n")
        self.service.start_healthd()
        self.service.wait_for_state("n1", "up")
        self.write("alarms", "n1 down hot\n")
        self.service.wait_for_state("n1", "down")
        os.remove(os.path.join(self.folder, "alarms"))
        self.service.wait_for_state("n1", "up")

    def test_an_old_file_says_nothing(self):
        self.write("old", "n0 down\nn1 down\nn2 down\n", age=7200)
        self.write("new", "n0 up\n")
        self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        self.wait_for_rounds("n0")
        self.assertEqual(list(self.service.hosts()), ["n0"], "nothing is known of the others")

    def test_a_file_grows_old(self):
        self.configure(max_age=3)
        self.write("n0", "up\n")
        self.write("n1", "up\n")
        self.service.start_healthd()
        self.service.wait_for_state("n1", "up")
        self.write("n1", "down\n")
        self.service.wait_for_state("n1", "down")

        def keep():
            self.write("n0", "up\n")
            polled = self.service.hosts()
            return polled["n0"]["polled"] > polled["n1"]["polled"] + 1
        wait_until(keep, "n1 not to be observed any more")

    def test_half_a_file_is_not_taken(self):
        self.write("tool", "n0 up\nn1 up\nn2 up\n")
        self.service.start_healthd()
        self.service.wait_for_state("n2", "up")
        tool = os.path.join(self.folder, "tool")
        with open(tool, "w") as file:
            # Emptied, as any program that opens a file for writing does, and then written in two pieces.
            self.wait_for_rounds("n0", young=tool)
            file.write("n0 up\nn1 down")
            file.flush()
            self.wait_for_rounds("n0", young=tool)
            self.assertEqual({entry["state"] for entry in self.service.hosts().values()}, {"up"})
            file.write(" at last\nn2 up\n")
            file.flush()
            self.service.wait_for_state("n1", "down")
        self.assertEqual(self.causes(), [("n1", "folder tool: at last")])
        with open(tool, "w") as file:
            file.write("n1 up")  # and no end of the line, for good
        self.service.wait_for_state("n1", "up")

    def test_whatever_lies_there_is_safe(self):
        secret = self.service.path("secret")
        with open(secret, "w") as file:
            file.write("n0 down by a link\n")
        os.symlink(secret, os.path.join(self.folder, "link"))
        os.mkfifo(os.path.join(self.folder, "fifo"))
        os.mkdir(os.path.join(self.folder, "folder"))
        self.write("garbage", os.urandom(100_000))
        self.write("nuls", b"\0" * 1000 + b"\n")
        with open(os.path.join(self.folder, "huge"), "wb") as file:
            file.truncate(1 << 40)
        self.write("future", "n0 down\n", age=-86_400)
        for name in (".hidden", "backup~", "half.new", "half.tmp"):
            with open(os.path.join(self.folder, name), "w") as file:
                file.write("n0 down\n")
        self.write("strangers", "db1 down\ndb2 down\nn1 broken\n")
        self.write("good", "n0 up\nn1 up\nn2 up\n")
        healthd = self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        self.wait_for_rounds("n0")
        self.assertEqual({entry["state"] for entry in self.service.hosts().values()}, {"up"})
        warnings = "\n".join(self.warnings())
        for expected in ("2 reports are of hosts that are not configured, such as db1", "lines are no reports",
                         "4 files are passed over"):
            self.assertIn(expected, warnings)
        self.assertEqual(self.log().count("are passed over"), 1, "it is told once")
        self.assertEqual(self.stop(healthd), 0)

    def test_ten_thousand_lines(self):
        hosts = "".join(f"x{i} down because\n" for i in range(10_000))
        self.write("all", hosts + "n0 up\nn1 up\nn2 down last\n" + hosts)
        self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        self.service.wait_for_state("n2", "down")
        self.assertIn("20000 reports are of hosts", "\n".join(self.warnings()))

    def test_a_folder_that_is_gone_is_told_once_and_says_nothing(self):
        self.write("all", "n0 up\nn1 down\nn2 up\n")
        self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        shutil.move(self.folder, self.folder + ".away")
        self.wait_for_log("no node states from the reports in")
        wait_until(lambda: any("No such file" in warning for warning in self.warnings()), "the warning")
        shutil.move(self.folder + ".away", self.folder)
        self.wait_for_log("answers again")
        wait_until(lambda: not self.warnings(), "no warning")
        self.assertEqual(self.log().count("no node states from"), 1, self.log())


class BesideHeartbeats(Folder):
    def test_either_source_takes_a_host_out(self):
        self.configure(heartbeats="true")
        agents = self.service.start_agents()
        self.service.start_healthd()
        for host in agents:
            self.service.wait_for_state(host, "up")
        self.write("n1", "down fan broken\n")
        self.service.wait_for_state("n1", "down")
        self.stop(agents["n2"])
        self.service.wait_for_state("n2", "down")
        os.remove(os.path.join(self.folder, "n1"))
        self.service.wait_for_state("n1", "up")
        self.assertEqual(self.causes(), [("n1", "folder n1: fan broken"), ("n2", "heartbeat")])


if __name__ == "__main__":
    unittest.main(verbosity=2)

# SPDX-License-Identifier: BSD-3-Clause
"""A wall clock that is wrong for some seconds, while tofa-healthd runs or before it starts: nothing that was learned is lost."""
import contextlib
import os
import signal
import sqlite3
import time
import unittest

from service import ServiceTest, wait_until

DAY = 86400
TEN_YEARS = 3650 * DAY


class Clock(ServiceTest):
    def setUp(self):
        super().setUp()
        self.service.write_config('method = "gamma"')

    def set_clock(self, ahead):
        """By so many seconds; 0: right."""
        with open(self.service.path("ahead.new"), "w") as file:
            file.write(str(int(ahead)))
        os.rename(self.service.path("ahead.new"), self.service.path("ahead"))

    def start(self):
        """On a disk that hangs while hang() says so."""
        slow = self.service.disk_that_hangs
        return self.service.start_healthd({**slow, "LD_PRELOAD": os.environ["TOFA_WRONG_CLOCK"] + ":" + slow["LD_PRELOAD"],
                                           "TOFA_CLOCK_AHEAD": self.service.path("ahead"),
                                           "TOFA_DISK_FOLDER": self.service.database})

    def rounds_at(self, ahead, count=5):
        """Waits until so many rounds are published with that clock."""
        seen = set()

        def published():
            polled = self.service.hosts().get("n0", {}).get("polled", 0)
            if abs(polled - ahead - time.time()) < DAY / 2:
                seen.add(polled)
            return len(seen) >= count

        wait_until(published, f"{count} rounds with a clock that is {ahead} s ahead")

    def learn(self, as_of=None):
        """All hosts have been up for a hundred days and failed three times, as of a time, while nothing runs."""
        agents = self.service.start_agents()
        healthd = self.start()
        self.wait_until_heard(*self.service.names)
        self.assertEqual(self.stop(healthd), 0)
        os.remove(self.service.snapshot)
        as_of = as_of or time.time()
        state = f"{as_of:.0f} {as_of - 5 * DAY:.0f} 1 1 0 3 100 0" + " 100" * 7
        with contextlib.closing(sqlite3.connect(self.service.database)) as database, database:
            database.execute("UPDATE host SET estimate = ?, sum = NULL", (state,))
        return agents

    def evidence(self):
        """As saved: host -> (as of, begin of the age, outages, days up)."""
        rows = {}
        for name, method, estimate in self.rows("SELECT name, method, estimate FROM host"):
            self.assertEqual(method, "gamma")
            numbers = [float(number) for number in estimate.split()]
            rows[name] = (numbers[0], numbers[1], numbers[5], numbers[6])
        return rows

    def check_all_is_known(self, failed=()):
        now = time.time()
        for host, (as_of, begin, outages, up_days) in self.evidence().items():
            self.assertLess(abs(as_of - now), 3600, host)
            self.assertAlmostEqual(outages, 4 if host in failed else 3, delta=0.01, msg=host)
            self.assertAlmostEqual(up_days, 100, delta=0.1, msg=host)
            self.assertLessEqual(begin, now, host)
            if host not in failed:
                self.assertLess(abs(now - begin - 5 * DAY), 3600, host)

    def go_wrong_and_be_set_right(self, ahead):
        agents = self.learn()
        healthd = self.start()
        self.rounds_at(0)
        self.set_clock(ahead)
        self.rounds_at(ahead)
        self.stop(agents["n1"])
        wait_until(lambda: self.published()["hosts"][1]["state"] == "down", "n1 to be down")
        self.set_clock(0)
        self.rounds_at(0)
        self.service.start_agent("n1")
        self.service.wait_for_state("n1", "up")
        self.stop(agents["n2"])
        self.service.wait_for_state("n2", "down")
        self.assertEqual(self.stop(healthd), 0)
        self.check_all_is_known(failed=("n1", "n2"))

    def test_ahead_while_running(self):
        self.go_wrong_and_be_set_right(TEN_YEARS)
        self.assertIn("3650.0 days ahead of", self.log())
        self.assertIn("3650.0 days behind", self.log())

    def test_behind_while_running(self):
        self.go_wrong_and_be_set_right(-TEN_YEARS)

    def test_ahead_at_a_start_and_at_its_end(self):
        """Each run ends with the clock as it was, by force or not."""
        self.learn()
        for how, ahead, then in ((signal.SIGTERM, TEN_YEARS, 0), (signal.SIGKILL, TEN_YEARS, TEN_YEARS),
                                 (signal.SIGKILL, 0, TEN_YEARS), (signal.SIGTERM, -TEN_YEARS, 0), (signal.SIGTERM, 0, 0)):
            self.set_clock(ahead)
            healthd = self.start()
            self.rounds_at(ahead)
            self.set_clock(then)
            self.rounds_at(then)
            self.stop(healthd, how)
        self.check_all_is_known()

    def test_set_right_while_the_disk_is_waited_for(self):
        """Rounds that are held meanwhile are not those of that date."""
        agents = self.learn()
        hanging = self.service.disk_that_hangs["TOFA_DISK_HANGS"]
        self.set_clock(TEN_YEARS)
        with open(hanging, "w"):
            pass
        healthd = self.start()
        self.wait_for_log("has not answered for")
        self.stop(agents["n1"])
        self.set_clock(0)
        os.remove(hanging)
        self.rounds_at(0)
        self.service.wait_for_state("n1", "down")
        self.assertEqual(self.stop(healthd), 0)
        self.check_all_is_known(failed=("n1",))

    def test_what_an_earlier_version_left_in_the_future_is_of_now(self):
        """It goes on to learn, rather than at that date."""
        agents = self.learn(as_of=time.time() + TEN_YEARS)
        healthd = self.start()
        self.rounds_at(0)
        self.stop(agents["n1"])
        self.service.wait_for_state("n1", "down")
        self.assertEqual(self.stop(healthd), 0)
        now = time.time()
        for host, (as_of, begin, outages, _) in self.evidence().items():
            self.assertLess(abs(as_of - now), 3600, host)
            self.assertLessEqual(begin, now, host)
            self.assertAlmostEqual(outages, 4 if host == "n1" else 3, delta=0.01, msg=host)


if __name__ == "__main__":
    unittest.main(verbosity=2)

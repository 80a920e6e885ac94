# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the nodes' own: what tofa-noded runs, and what tofa-healthd makes of it."""
import os
import signal
import socket
import subprocess
import unittest

from service import BIN, DEADLINE, ServiceTest, wait_until

MARK = "63686b31"  # the end of a nonce of a tofa-healthd that knows checks


class Checks(ServiceTest):
    def setUp(self):
        super().setUp()
        self.folder = self.service.path("checks")
        os.mkdir(self.folder)

    def write_check(self, name, body, mode=0o755):
        # Renamed over the old one: who writes to a program that runs gets ETXTBSY.
        path = os.path.join(self.folder, name)
        with open(path + "~", "w") as file:
            file.write(f"#!/bin/sh\ncd '{self.service.folder}' || exit 9\n{body}\n")
        os.chmod(path + "~", mode)
        os.rename(path + "~", path)

    def start_agent(self, host="n0", *options, environment=None):
        return self.service.start("tofa-noded", "--listen", f"{self.service.address(host)}:{self.service.agent_port}",
                                  "--name", host, "--checks", self.folder, "--check-period", "1", *options,
                                  log=f"noded-{host}.log", environment=environment)

    def log(self, host="n0"):
        return self.service.log(f"noded-{host}.log")

    def wait_for_log(self, text):
        wait_until(lambda: text in self.log(), f"the agent to say {text!r}")

    def ask(self, mark=MARK):
        """One heartbeat; what the agent answers."""
        nonce = "ab" * 12 + mark
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.settimeout(0.5)
            client.connect((self.service.address("n0"), self.service.agent_port))

            def answer():
                try:
                    client.send(f"tofa-heartbeat 1 {nonce}\n".encode().ljust(512))
                    return client.recv(2048).decode()
                except OSError:  # the agent does not listen yet
                    return None
            return wait_until(answer, "an answer")

    def gone(self, pid):
        try:
            with open(f"/proc/{pid}/stat") as file:
                return file.read().rpartition(")")[2].split()[0] == "Z"
        except (FileNotFoundError, ProcessLookupError):
            return True


class InTheService(Checks):
    def test_a_check_that_fails_is_an_outage_with_its_reason(self):
        self.write_check("gpu", "test ! -e broken || { echo 'no device: 2 of 4'; echo more; exit 3; }")
        self.write_check("other", "echo all is well")
        self.start_agent("n0")
        self.service.start_agent("n1")
        self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        self.service.wait_for_state("n1", "up")
        open(self.service.path("broken"), "w").close()
        self.assertEqual(self.service.wait_for_state("n0", "down")["probability"], 1)
        wait_until(lambda: "n0 is down (check gpu: no device: 2 of 4)" in self.service.log("tofa-healthd.log"),
                   "the log to tell the reason")
        os.remove(self.service.path("broken"))
        self.assertGreater(self.service.wait_for_state("n0", "up")["probability"], 0)
        self.assertEqual(self.service.hosts()["n1"]["probability"], 0)
        # Also after a restart, which reads it from the database.
        self.assertEqual(self.stop(self.service.started[-1]), 0)
        self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        self.service.start_gateway()
        outages = [(outage["host"], outage["cause"], outage["reason"]) for outage in self.service.answer()["outages"]]
        self.assertEqual(outages, [("n0", "check", "check gpu: no device: 2 of 4")])
        history = subprocess.run([os.path.join(BIN, "tofa"), "health", "history", "--health", self.service.uri],
                                 capture_output=True, text=True, timeout=DEADLINE)
        self.assertIn("check gpu: no device: 2 of 4", history.stdout + history.stderr)
        self.assertNotIn("damage", self.service.log("tofa-healthd.log"))

    def test_signed_answers_carry_it(self):
        key = self.service.path("key")
        with open(key, "w") as file:
            file.write("7" * 64 + "\n")
        os.chmod(key, 0o600)
        self.service.write_config()
        with open(self.service.config) as file:
            text = file.read()
        with open(self.service.config, "w") as file:
            file.write(text.replace("[poll]", f'[poll]\nkey = "{key}"'))
        self.write_check("disk", "echo read-only; exit 1")
        self.start_agent("n0", "--key", key)
        self.wait_for_log("check disk failed: read-only")  # asked earlier, it would be up at first
        self.service.start_healthd()
        self.service.wait_for_state("n0", "down")
        wait_until(lambda: "n0 has not been up since it is watched (check disk: read-only)" in
                   self.service.log("tofa-healthd.log"), "the reason")


class InTheAgent(Checks):
    def test_who_does_not_know_checks_is_answered_as_ever(self):
        self.write_check("gpu", "exit 3")
        self.start_agent()
        self.wait_for_log("check gpu failed: exit status 3")
        self.assertTrue(self.ask().startswith("tofa-heartbeat 3 "), self.ask())
        self.assertTrue(self.ask().endswith(" gpu: exit status 3\n"), self.ask())
        old = self.ask(mark="00000000")
        self.assertTrue(old.startswith("tofa-heartbeat 1 "), old)
        self.assertEqual(len(old.split()), 6, old)

    def test_a_check_that_hangs_is_killed_with_all_it_started(self):
        self.write_check("hang", "sleep 1000 & echo $! >children; echo $$ >>children; exec sleep 1000")
        self.write_check("next", "echo next >>calls")
        agent = self.start_agent("n0", "--check-timeout", "1")
        wait_until(lambda: self.service.log("children").count("\n") == 2, "the check to run")
        # Heartbeats are answered while it hangs, and the other check has its turn.
        self.assertTrue(self.ask().startswith("tofa-heartbeat "))
        self.wait_for_log("check hang failed: not done within 1 s")
        first = [int(pid) for pid in self.service.log("children").split()[:2]]
        wait_until(lambda: all(self.gone(pid) for pid in first), "both processes to be gone")
        wait_until(lambda: "next" in self.service.log("calls"), "the check after it")
        self.assertIn(" hang: not done within 1 s", self.ask())
        self.assertEqual(self.stop(agent), 0)  # with the one that hangs by now

    def test_a_restart_of_the_agent_mends_nothing(self):
        memory = {"RUNTIME_DIRECTORY": self.service.path("runtime")}
        os.mkdir(memory["RUNTIME_DIRECTORY"])
        self.write_check("gpu", "test ! -e slow || sleep 1000; exit 3")
        agent = self.start_agent(environment=memory)
        self.wait_for_log("check gpu failed: exit status 3")
        wait_until(lambda: self.ask().endswith(" gpu: exit status 3\n"), "the failure")
        self.assertEqual(self.stop(agent), 0)
        open(self.service.path("slow"), "w").close()
        agent = self.start_agent("n0", "--check-timeout", "600", environment=memory)
        self.assertTrue(self.ask().endswith(" gpu: exit status 3\n"), self.ask())
        self.assertEqual(self.stop(agent), 0)  # with the check that it runs

    def test_whoever_started_it_may_have_ignored_that_children_end(self):
        self.write_check("fine", "echo fine >>calls")
        self.write_check("gpu", "exit 3")
        before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        try:
            self.start_agent()
        finally:
            signal.signal(signal.SIGCHLD, before)
        self.wait_for_log("check gpu failed: exit status 3")
        wait_until(lambda: self.service.log("calls").count("fine") > 1, "two rounds")
        self.assertNotIn("check fine failed", self.log())

    def test_what_a_check_leaves_behind_is_killed(self):
        self.write_check("forks", "sleep 1000 >/dev/null 2>&1 & echo $! >child; exit 0")
        self.start_agent()
        pid = int(wait_until(lambda: self.service.log("child").strip(), "the check to run"))
        wait_until(lambda: self.gone(pid), "its child to be gone")
        self.assertTrue(self.ask().startswith("tofa-heartbeat 1 "))

    def test_output_without_end_and_closed_output(self):
        self.write_check("chatty", "yes 'too much' | head -c 3000000; exit 1")
        self.write_check("quiet", "exec >&- 2>&-; sleep 0.2; exit 4")
        self.start_agent()
        self.wait_for_log("check chatty failed: too much")
        self.wait_for_log("check quiet failed: exit status 4")
        wait_until(lambda: self.ask().endswith(" chatty: too much (and 1 more)\n"), "both")

    def test_output_is_made_printable(self):
        self.write_check("rude", r"""printf '\033[31mr\303\266d\000x\tend\n'; exit 1""")
        self.start_agent()
        wait_until(lambda: " 3 " in self.ask(), "the failure")
        self.assertTrue(self.ask().endswith(" rude: [31mr?d x end\n"), repr(self.ask()))

    def test_only_executables_with_plain_names_are_checks(self):
        self.write_check("fine", "echo fine >>calls")
        for name, mode in ((".hidden", 0o755), ("backup~1", 0o755), ("README", 0o644)):
            self.write_check(name, f"echo {name} >>calls; exit 1", mode)
        self.write_check("anyone", "echo anyone >>calls; exit 1", 0o757)
        os.mkdir(os.path.join(self.folder, "folder"))
        os.mkfifo(os.path.join(self.folder, "fifo"), 0o755)
        os.symlink("/nowhere", os.path.join(self.folder, "dangling"))
        with open(os.path.join(self.folder, "empty"), "w") as file:
            os.fchmod(file.fileno(), 0o755)
        with open(os.path.join(self.folder, "no-interpreter"), "w") as file:
            file.write("exit 1\n")
            os.fchmod(file.fileno(), 0o755)
        self.start_agent()
        wait_until(lambda: self.service.log("calls").count("fine") > 1, "two rounds")
        self.assertEqual(set(self.service.log("calls").split()), {"fine"})
        self.assertTrue(self.ask().startswith("tofa-heartbeat 1 "), self.ask())
        self.assertEqual(self.log().count("every user may change it"), 1, self.log())
        self.assertEqual(self.log().count("does it begin with #!"), 2, self.log())

    def test_checks_come_and_go(self):
        self.start_agent()
        self.wait_for_log("0 checks in")
        self.write_check("late", "echo bad; exit 1")
        wait_until(lambda: " late: bad" in self.ask(), "the check")
        os.rename(os.path.join(self.folder, "late"), self.service.path("late"))
        wait_until(lambda: "late" not in self.ask(), "it to be forgotten")
        os.rename(self.service.path("late"), os.path.join(self.folder, "late"))
        wait_until(lambda: " late: bad" in self.ask(), "the check again")
        os.rename(self.folder, self.folder + ".away")
        wait_until(lambda: "late" not in self.ask(), "a folder that is gone to say nothing")
        self.wait_for_log("no check is run")

    def test_neither_signals_nor_secrets_are_passed_on(self):
        self.write_check("shows", "env >environment.new; grep SigBlk /proc/self/status >blocked.new; "
                                  "mv blocked.new blocked; mv environment.new environment")
        os.environ["CREDENTIALS_DIRECTORY"] = "/secret"
        self.addCleanup(os.environ.pop, "CREDENTIALS_DIRECTORY")
        self.start_agent()
        environment = wait_until(lambda: self.service.log("environment"), "the check")
        self.assertNotIn("CREDENTIALS_DIRECTORY", environment)
        self.assertIn("PATH=", environment)
        self.assertEqual(int(self.service.log("blocked").split()[1], 16), 0)

    def test_stops_at_once_with_a_check_that_hangs(self):
        self.write_check("hang", "echo $$ >child; exec sleep 1000")
        agent = self.start_agent("n0", "--check-timeout", "3600")
        pid = int(wait_until(lambda: self.service.log("child").strip(), "the check"))
        self.assertEqual(self.stop(agent), 0)
        wait_until(lambda: self.gone(pid), "the check to be gone")

    def test_says_what_is_wrong_with_its_options(self):
        for options, expected in ((["--checks", "/nowhere"], "--checks names a folder"), (["--checks", ""], "--checks"),
                                  (["--checks", self.folder, "--check-period", "0"], "--check-period")):
            result = subprocess.run([os.path.join(BIN, "tofa-noded"), "--listen", "127.0.0.1:1", *options],
                                    capture_output=True, text=True, timeout=DEADLINE)
            self.assertEqual(result.returncode, 2, options)
            self.assertIn(expected, result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)

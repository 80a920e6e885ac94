# SPDX-License-Identifier: BSD-3-Clause
"""Where agents and tofa-healthd share a key, nobody without it can say that a node is up."""
import hashlib
import os
import re
import signal
import socket
import unittest

from service import DEADLINE, ServiceTest, wait_until


def signed(nonce, host, key):
    text = f"tofa-heartbeat 2 {nonce} {host} b 1"
    mac = hashlib.blake2b(text.encode(), key=bytes.fromhex(64 * key), digest_size=32).hexdigest()
    return f"{text} {mac}\n".encode()


class SignedHeartbeats(ServiceTest):
    def setUp(self):
        super().setUp()
        self.key = self.make_key("heartbeat.key", "7")
        # What systemd is told.
        self.notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.notices.close)
        self.notices.bind(self.service.path("notify"))
        self.notices.settimeout(DEADLINE)
        os.environ["NOTIFY_SOCKET"] = self.service.path("notify")
        self.addCleanup(os.environ.pop, "NOTIFY_SOCKET")

    def make_key(self, name, digit, mode=0o600):
        path = self.service.path(name)
        with open(path, "w") as file:
            file.write(64 * digit)
        os.chmod(path, mode)
        return path

    def use_key(self):
        with open(self.service.config) as file:
            text = file.read()
        with open(self.service.config, "w") as file:
            file.write(text.replace("[poll]\n", f'[poll]\nkey = "{self.key}"\n'))

    def start_agent(self, host, *options):
        address = f"{self.service.address(host)}:{self.service.agent_port}"
        return self.service.start("tofa-noded", "--listen", address, "--name", host, *options, log=f"noded-{host}.log")

    def wait_for_rejected(self, least):
        def rejected():
            found = re.search(r"answers rejected: (\d+)", self.notices.recv(4096).decode())
            return found and int(found[1]) >= least
        wait_until(rejected, f"a status with {least} rejected answers")

    def test_only_who_has_the_key_counts(self):
        self.use_key()
        self.start_agent("n0", "--key", self.key)
        self.start_agent("n1", "--key", self.make_key("other.key", "8"))
        self.start_agent("n2")
        self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        self.service.wait_for_state("n1", "down")
        self.service.wait_for_state("n2", "down")
        self.wait_for_rejected(4)
        log = self.service.log("tofa-healthd.log")
        self.assertEqual(log.count("rejected an answer from 127.7.0."), 1, "a flood does not fill the log")
        self.assertEqual(log.count("answers to heartbeats must be signed"), 1)
        self.assertIn(", signed\n", self.service.log("noded-n0.log"))
        self.assertIn(", not signed (no --key)\n", self.service.log("noded-n2.log"))

    def test_without_a_key_signed_answers_count_and_it_is_said_once(self):
        self.start_agent("n0", "--key", self.key)
        self.start_agent("n1")
        self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        self.service.wait_for_state("n1", "up")
        self.assertEqual(self.service.log("tofa-healthd.log").count("answers to heartbeats are not signed"), 1)

    def test_who_sees_the_request_cannot_forge_or_repeat_an_answer(self):
        self.use_key()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as agent:
            agent.settimeout(DEADLINE)
            agent.bind((self.service.address("n0"), self.service.agent_port))
            self.service.start_healthd()
            earlier = None
            for _ in range(12):
                request, healthd = agent.recvfrom(2048)
                nonce = request.split()[2].decode()
                forged = signed(nonce, "n0", "7")
                for answer in (f"tofa-heartbeat 1 {nonce} n0 b 1\n".encode(), signed(nonce, "n0", "8"),
                               forged[:-2] + b"x\n", forged.replace(b" b 1 ", b" b 2 "), earlier):
                    if answer:
                        agent.sendto(answer, healthd)
                earlier = signed("ab" * 16, "n0", "7")  # genuine once, for another heartbeat
            self.service.wait_for_state("n0", "down")
            self.wait_for_rejected(20)

            def answer_rightly():
                request, healthd = agent.recvfrom(2048)
                agent.sendto(signed(request.split()[2].decode(), "n0", "7"), healthd)
                return self.service.hosts()["n0"]["state"] == "up"
            wait_until(answer_rightly, "n0 to be up")

    def test_keys_that_are_none(self):
        self.key = self.make_key("open.key", "7", 0o644)
        self.use_key()
        self.assertEqual(self.service.start_healthd().wait(timeout=DEADLINE), 2)
        self.assertIn("open.key: has mode 0644", self.service.log("tofa-healthd.log"))
        self.assertEqual(self.start_agent("n0", "--key", self.key).wait(timeout=DEADLINE), 2)
        self.assertIn("open.key: has mode 0644", self.service.log("noded-n0.log"))

    def test_a_key_that_is_none_at_a_reload_changes_nothing(self):
        self.use_key()
        self.start_agent("n0", "--key", self.key)
        healthd = self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        os.chmod(self.key, 0o644)
        healthd.send_signal(signal.SIGHUP)
        wait_until(lambda: "stays as it was" in self.service.log("tofa-healthd.log"), "the complaint")
        self.assert_running(healthd)


if __name__ == "__main__":
    unittest.main(verbosity=2)

# SPDX-License-Identifier: BSD-3-Clause
"""Answers are signed by MUNGE: who asks believes one user, as munged of both hosts knows it, and no key of ours is needed."""
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import unittest

from service import BIN, DEADLINE, ServiceTest, wait_until
from test_signature import Parrot, Relay

REFUSED = 6
MUNGED = shutil.which("munged") or shutil.which("munged", path="/usr/sbin:/usr/local/sbin")
STRANGER = 54321  # a user's number that is nobody's here
# Root is always believed, so where the tests are root's, the gateway is not.
GATEWAY_USER = 54320 if os.geteuid() == 0 else os.geteuid()


@unittest.skipUnless(MUNGED, "there is no munged, of the package munge")
class Munge(ServiceTest):
    def setUp(self):
        super().setUp()
        os.chmod(self.service.folder, 0o755)
        self.service.write_snapshot({"n0": 0, "n1": 0.25})
        self.munged = self.start_munged("munge")
        self.key = self.key_of("munge")
        self.trust = ("--key", self.key, "--key-user", str(GATEWAY_USER))

    def key_of(self, name):
        return f"munge:{self.service.path(name)}/socket"

    def start_munged(self, name):
        """One of its own, with a key of its own."""
        folder = self.service.path(name)
        os.mkdir(folder, 0o755)
        with open(os.open(f"{folder}/key", os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
            file.write(os.urandom(128))
        munged = subprocess.Popen(
            [MUNGED, "--force", "--foreground", f"--key-file={folder}/key", f"--socket={folder}/socket",
             f"--pid-file={folder}/pid", f"--log-file={folder}/log", f"--seed-file={folder}/seed", "--num-threads=2"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.service.started.append(munged)
        wait_until(lambda: self.is_listening(f"{folder}/socket"), "munged")
        return munged

    @staticmethod
    def is_listening(path):
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(path) == 0

    def start_gateway(self, key=None, user=GATEWAY_USER):
        """As its user, who may not write to the folder of the test."""
        with open(self.service.path("tofa-pmix-gateway.log"), "ab") as log:
            own = self.service.path(f"tmp-{len(self.service.started)}")
            os.mkdir(own)
            os.chmod(own, 0o777)
            as_user = {"user": user, "group": user, "extra_groups": []} if user != os.geteuid() else {}
            gateway = subprocess.Popen(
                [os.path.join(BIN, "tofa-pmix-gateway"), "--listen", self.service.uri, "--snapshot",
                 self.service.snapshot, "--key", key or self.key], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, "TMPDIR": own, "HOME": own}, **as_user)
        self.service.started.append(gateway)
        wait_until(lambda: "answering from" in self.gateway_log(), "the gateway")
        return gateway

    def gateway_log(self):
        return self.service.log("tofa-pmix-gateway.log")

    def assert_accepted(self, *arguments, uri=None):
        answer = self.service.query(*(arguments or self.trust), uri=uri)
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        self.assertEqual([host["host"] for host in json.loads(answer.stdout)["hosts"]], ["n0", "n1"])

    def assert_refused(self, problem, *arguments, uri=None, status=REFUSED):
        answer = self.service.query(*(arguments or self.trust), uri=uri)
        self.assertEqual((answer.returncode, answer.stdout), (status, ""), answer.stderr)
        self.assertIn(problem, answer.stderr)

    def test_the_user_of_the_gateway_is_believed(self):
        self.start_gateway()
        self.assertIn(", signed by MUNGE\n", self.gateway_log())
        self.assert_accepted()
        self.assert_accepted("--max-age", "300")  # whoever believes anybody
        self.assert_refused(f"it is signed by user {GATEWAY_USER}, and user {STRANGER} is trusted here",
                            "--key", self.key, "--key-user", str(STRANGER))

    @unittest.skipUnless(os.geteuid() == 0, "only root can be another user")
    def test_root_is_believed(self):
        self.start_gateway(user=0)
        self.assert_accepted("--key", self.key, "--key-user", str(STRANGER))

    def test_a_user_who_is_none_is_a_mistake(self):
        self.assert_refused('there is no user "tofa nobody" on this host', "--key", self.key, "--key-user",
                            "tofa nobody", status=2)
        self.assert_refused("is no path of munged's socket", "--key", "munge:here", "--key-user", "1", status=2)

    def test_the_word_in_the_file_of_the_key(self):
        path = self.service.path("health.key")
        with open(path, "w") as file:
            file.write(self.key + "\n")
        os.chmod(path, 0o600)
        os.chown(path, GATEWAY_USER, -1)
        self.start_gateway(path)
        self.assert_accepted()
        printed = subprocess.run([os.path.join(BIN, "tofa-pmix-gateway"), "--key", path, "--public-key"],
                                 capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(printed.returncode, 2)
        self.assertIn('MUNGE has no public key; whoever asks names it: health_key = "munge"', printed.stderr)

    def test_crowds_on_a_host_are_given_the_same_credential(self):
        self.start_gateway()
        for _ in range(8):
            self.assert_accepted()

    def test_an_altered_answer_is_refused(self):
        self.start_gateway()
        relay = Relay(self.service.gateway_port,
                      lambda data: data.replace(b'"probability":0.25', b'"probability":0.75'))
        self.addCleanup(relay.close)
        self.assert_refused("its credential is for another text; it was altered", uri=relay.uri)

    def test_a_repeated_answer_counts_while_it_is_fresh(self):
        gateway = self.start_gateway()
        relay = Relay(self.service.gateway_port)
        self.assert_accepted(*self.trust, uri=relay.uri)
        relay.close()
        self.stop(gateway)
        parrots = [Parrot(relay.turns) for _ in range(2)]
        for parrot in parrots:
            self.addCleanup(parrot.close)
        self.assert_accepted(*self.trust, uri=parrots[0].uri)  # munged knows it, and says so
        time.sleep(2.1)
        self.assert_refused("s ago, 1 s are allowed; somebody repeats an old answer", *self.trust, "--max-age", "1",
                            uri=parrots[1].uri)

    def test_another_munge_key_is_not_believed(self):
        self.start_munged("elsewhere")
        self.start_gateway(self.key_of("elsewhere"))
        self.assert_refused("munged does not believe its credential")

    def test_a_key_does_not_stand_for_munge(self):
        path = self.service.path("health.key")
        with open(path, "w") as file:
            file.write(64 * "9")
        os.chmod(path, 0o600)
        os.chown(path, GATEWAY_USER, -1)
        self.start_gateway(path)
        self.assert_refused("it is signed with a key, and not by MUNGE, which is trusted here")

    def test_without_munged_the_gateway_says_so_and_recovers(self):
        self.stop(self.munged, signal.SIGKILL)
        shutil.rmtree(self.service.path("munge"))
        self.start_gateway()
        wait_until(lambda: "answers cannot be signed: munged does not answer on this host" in self.gateway_log(),
                   "the gateway to tell its log")
        self.assert_refused("answers cannot be signed: munged does not answer on this host", status=5)
        self.start_munged("munge")
        self.assert_accepted()

    def test_a_munged_that_hangs_keeps_nobody_waiting(self):
        self.start_gateway()
        self.assert_accepted()
        self.munged.send_signal(signal.SIGSTOP)
        self.addCleanup(self.munged.send_signal, signal.SIGCONT)
        wait_until(lambda: self.service.query().returncode == 5, "what was signed to be of another second")
        for _ in range(3):  # long before the deadline
            self.assert_refused("answers cannot be signed: munged has owed an answer", status=5)
        self.munged.send_signal(signal.SIGCONT)
        wait_until(lambda: self.service.query(*self.trust).returncode == 0, "the gateway to sign again")

    def test_a_munged_that_hangs_on_the_host_of_who_asks(self):
        elsewhere = self.start_munged("elsewhere")
        elsewhere.send_signal(signal.SIGSTOP)
        self.addCleanup(elsewhere.send_signal, signal.SIGCONT)
        self.start_gateway()
        answer = self.service.query("--key", self.key_of("elsewhere"), "--key-user", str(GATEWAY_USER), deadline=3)
        self.assertEqual((answer.returncode, answer.stdout), (REFUSED, ""), answer.stderr)
        self.assertIn("munged on this host did not say in time who has signed it", answer.stderr)

    def place(self, **environment):
        """A job goes on, whatever becomes of the answer."""
        with open(self.service.path("app.bytes.mtx"), "w") as file:
            file.write("%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 1000\n")
        with open(self.service.path("mesh.toml"), "w") as file:
            file.write('[topology]\nkind = "mesh"\nshape = [2]\nnodes = "n[0-1]"\n')
        result = subprocess.run(
            [os.path.join(BIN, "tofa"), "map", "--graph", self.service.path("app.bytes.mtx"), "--topology",
             self.service.path("mesh.toml"), "--format", "json"], capture_output=True, text=True, timeout=DEADLINE,
            env={"PATH": os.environ["PATH"], **environment})
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)["inputs"]["outages"], result.stderr.splitlines()

    def test_a_site_trusts_and_a_placement_goes_on(self):
        self.start_gateway()
        site = self.service.path("tofa.toml")
        with open(site, "w") as file:
            file.write(f'health = "{self.service.uri}"\nhealth_key = "{self.key}"\n'
                       f"health_key_user = {GATEWAY_USER}\n")
        origin, warnings = self.place(TOFA_SITE_FILE=site)
        self.assertIn(f"health service at {self.service.uri} (2 hosts)", origin)
        self.assertEqual(warnings, [])
        origin, warnings = self.place(TOFA_SITE_FILE=site, TOFA_HEALTH_KEY_USER=str(STRANGER))
        self.assertEqual(origin, "not available; no node is taken to be suspect")
        self.assertEqual(len(warnings), 1, warnings)
        self.assertIn("cannot be trusted: the answer is refused: it is signed by user", warnings[0])


if __name__ == "__main__":
    unittest.main(verbosity=2)

# SPDX-License-Identifier: BSD-3-Clause
"""Answers are signed: who asks with a key believes nobody else, whoever has the port or sits in between."""
import json
import os
import select
import socket
import struct
import subprocess
import threading
import time
import unittest

from service import BIN, DEADLINE, ServiceTest

REFUSED = 6


def receive(connection, size):
    data = b""
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            raise ConnectionError("the other side has hung up")
        data += more
    return data


def receive_message(connection, is_first):
    """A message of a client's as a whole; the first, its handshake, has a header in this machine's order."""
    header = receive(connection, 16)
    return header + receive(connection, struct.unpack("=I" if is_first else "!I", header[8:12])[0])


class Relay:
    """Sits between one client and the gateway, and may change or keep what the gateway says."""

    def __init__(self, gateway_port, change=lambda data: data, port=0):
        self.gateway_port, self.change = gateway_port, change
        self.turns = []  # what the gateway has said after each message of the client's
        self.server = socket.create_server(("127.0.0.1", port))
        self.server.settimeout(DEADLINE)
        self.uri = f"127.0.0.1:{self.server.getsockname()[1]}"
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        client, _ = self.server.accept()
        with client, socket.create_connection(("127.0.0.1", self.gateway_port), timeout=DEADLINE) as gateway:
            client.settimeout(DEADLINE)
            while True:
                for end in select.select([client, gateway], [], [], DEADLINE)[0]:
                    try:
                        if end is client:
                            gateway.sendall(receive_message(client, not self.turns))
                            self.turns.append(b"")
                        else:
                            data = self.change(gateway.recv(1 << 20))
                            if not data:
                                return
                            self.turns[-1] += data
                            client.sendall(data)
                    except ConnectionError:
                        return

    def close(self):
        self.thread.join(DEADLINE)
        self.server.close()


class Parrot(Relay):
    """Says what a gateway once said, message by message."""

    def __init__(self, turns):
        self.repeated = turns
        super().__init__(0)

    def serve(self):
        client, _ = self.server.accept()
        client.settimeout(DEADLINE)
        with client:
            for turn, data in enumerate(self.repeated):
                try:
                    receive_message(client, turn == 0)
                    client.sendall(data)
                except ConnectionError:
                    return


class Signature(ServiceTest):
    def setUp(self):
        super().setUp()
        self.service.write_snapshot({"n0": 0, "n1": 0.25})
        self.key = self.make_key("health.key", "9")
        self.public = self.publish(self.key)

    def make_key(self, name, digit, mode=0o600):
        path = self.service.path(name)
        with open(path, "w") as file:
            file.write(64 * digit + "\n")
        os.chmod(path, mode)
        return path

    def publish(self, key):
        with open(key + ".pub", "w") as file:
            subprocess.run([os.path.join(BIN, "tofa-pmix-gateway"), "--key", key, "--public-key"], stdout=file,
                           check=True, timeout=DEADLINE)
        return key + ".pub"

    def assert_refused(self, problem, *arguments, uri=None):
        answer = self.service.query("--key", self.public, *arguments, uri=uri)
        self.assertEqual((answer.returncode, answer.stdout), (REFUSED, ""), answer.stderr)
        self.assertIn(problem, answer.stderr)

    def assert_accepted(self, *arguments, uri=None):
        answer = self.service.query(*arguments, uri=uri)
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        self.assertEqual([host["host"] for host in json.loads(answer.stdout)["hosts"]], ["n0", "n1"])

    def test_a_signed_answer_is_accepted_with_its_key_and_without(self):
        self.service.start_gateway("--key", self.key)
        self.assertIn(", signed\n", self.service.log("tofa-pmix-gateway.log"))
        self.assert_accepted("--key", self.public)
        self.assert_accepted()

    def test_who_takes_the_port_is_not_believed(self):
        self.service.start_gateway()
        self.assertIn(", not signed (no --key)\n", self.service.log("tofa-pmix-gateway.log"))
        self.assert_refused("it is not signed")
        self.assert_accepted()

    def test_nor_is_somebody_with_another_key(self):
        self.service.start_gateway("--key", self.make_key("other.key", "8"))
        self.assert_refused("it is not signed with the key that is trusted here, or it was altered")

    def test_an_altered_answer_is_refused(self):
        self.service.start_gateway("--key", self.key)
        for old, new in ((b"", b""), (b'"probability":0.25', b'"probability":0.75')):
            relay = Relay(self.service.gateway_port, lambda data: data.replace(old, new) if old else data)
            self.addCleanup(relay.close)
            if old:
                self.assert_refused("or it was altered", uri=relay.uri)
            else:
                self.assert_accepted("--key", self.public, uri=relay.uri)

    def test_a_repeated_answer_is_refused(self):
        gateway = self.service.start_gateway("--key", self.key)
        relay = Relay(self.service.gateway_port)
        self.assert_accepted("--key", self.public, uri=relay.uri)
        relay.close()
        self.stop(gateway)
        parrots = [Parrot(relay.turns) for _ in range(2)]
        for parrot in parrots:
            self.addCleanup(parrot.close)
        self.assert_accepted("--key", self.public, uri=parrots[0].uri)  # else what follows shows nothing
        time.sleep(2.1)
        self.assert_refused("s ago, 1 s are allowed; somebody repeats an old answer", "--max-age", "1",
                            uri=parrots[1].uri)

    def test_starting_afresh_keeps_the_key(self):
        self.service.start_gateway("--key", self.key, "--renew-after", "2")
        for _ in range(7):
            self.assert_accepted("--key", self.public)
        self.assertIn("starting afresh", self.service.log("tofa-pmix-gateway.log"))

    def test_keys_that_are_none(self):
        gateway = self.service.start("tofa-pmix-gateway", "--listen", self.service.uri, "--snapshot", "x", "--key",
                                     self.make_key("open.key", "7", 0o644))
        self.assertEqual(gateway.wait(timeout=DEADLINE), 2)
        self.assertIn("open.key: has mode 0644", self.service.log("tofa-pmix-gateway.log"))
        answer = self.service.query("--key", self.key)
        self.assertEqual((answer.returncode, answer.stdout), (2, ""))
        self.assertIn("health.key: is no public key", answer.stderr)

    def test_the_word_none_is_no_key(self):
        none = self.make_key("none.key", "")
        with open(none, "w") as file:
            file.write("none")
        self.service.start_gateway("--key", none)
        self.assertIn(", not signed (no --key)\n", self.service.log("tofa-pmix-gateway.log"))

    def test_the_command_believes_whom_the_site_does(self):
        self.service.start_gateway("--key", self.key)
        site = self.service.path("tofa.toml")

        def status(lines):
            with open(site, "w") as file:
                file.write(f'health = "{self.service.uri}"\n{lines}')
            result = subprocess.run([os.path.join(BIN, "tofa"), "health", "status", "--json", "--deadline", "30"],
                                    capture_output=True, text=True, timeout=DEADLINE,
                                    env={"PATH": os.environ["PATH"], "TOFA_SITE_FILE": site})
            return json.loads(result.stdout)

        self.assertTrue(status('health_key = "health.key.pub"')["signed"])
        self.assertFalse(status("")["signed"])
        other = self.publish(self.make_key("other.key", "8"))
        refused = status(f'health_key = "{other}"')
        self.assertFalse(refused["answers"])
        self.assertIn("cannot be trusted: the answer is refused: it is not signed with the key", refused["error"])

    def test_a_placement_goes_on_without_a_forged_answer(self):
        self.service.start_gateway()
        with open(self.service.path("app.bytes.mtx"), "w") as file:
            file.write("%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 1000\n")
        with open(self.service.path("mesh.toml"), "w") as file:
            file.write('[topology]\nkind = "mesh"\nshape = [2]\nnodes = "n[0-1]"\n')

        def place(**environment):
            result = subprocess.run(
                [os.path.join(BIN, "tofa"), "map", "--graph", self.service.path("app.bytes.mtx"), "--topology",
                 self.service.path("mesh.toml"), "--format", "json"], capture_output=True, text=True, timeout=DEADLINE,
                env={"PATH": os.environ["PATH"], "TOFA_SITE_FILE": "/nonexistent", "TOFA_HEALTH": self.service.uri,
                     **environment})
            self.assertEqual(result.returncode, 0, result.stderr)
            return json.loads(result.stdout)["inputs"]["outages"], result.stderr.splitlines()

        self.assertEqual(place(), (f"health service at {self.service.uri} (2 hosts) from TOFA_HEALTH, "
                                   "unchecked (no health_key)", []))
        origin, warnings = place(TOFA_HEALTH_KEY=self.public)
        self.assertEqual(origin, "not available; no node is taken to be suspect")
        self.assertEqual(len(warnings), 1, warnings)
        self.assertIn("cannot be trusted: the answer is refused: it is not signed", warnings[0])


if __name__ == "__main__":
    unittest.main(verbosity=2)

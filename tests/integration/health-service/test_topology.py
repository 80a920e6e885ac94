# SPDX-License-Identifier: BSD-3-Clause
"""The gateway hands out the site's topology file: placements use it where nobody names one."""
import json
import os
import subprocess
import unittest

from service import BIN, DEADLINE, ServiceTest
from test_signature import REFUSED, Relay

TORUS = '[topology]\nkind = "torus"\nshape = [4, 2]\nnodes = "n[0-7]"\n'


class Topology(ServiceTest):
    def setUp(self):
        super().setUp()
        self.service.write_snapshot({f"n{i}": 0 for i in range(8)})
        self.topology = self.write("site.toml", TORUS)

    def write(self, name, text):
        """Replaces the file as a whole."""
        path = self.service.path(name)
        with open(path + ".new", "w") as file:
            file.write(text)
        os.rename(path + ".new", path)
        return path

    def start_gateway(self, *arguments):
        return self.service.start_gateway("--topology", self.topology, *arguments)

    def ask(self, *arguments, **more):
        return self.service.query("--topology", *arguments, **more)

    def assert_told(self, text, *arguments):
        answer = self.ask(*arguments)
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        self.assertEqual(answer.stdout, f"tofa-topology {len(text.encode())}\n{text}")

    def tofa(self, *arguments, **environment):
        return subprocess.run(
            [os.path.join(BIN, "tofa"), *arguments], capture_output=True, text=True, timeout=DEADLINE,
            env={"PATH": os.environ["PATH"], "TOFA_SITE_FILE": "/nonexistent", "TOFA_HEALTH": self.service.uri,
                 "XDG_CACHE_HOME": self.service.path("cache"), **environment})

    def kept(self):
        try:
            return [name for name in os.listdir(self.service.path("cache/tofa")) if name.startswith("topology-")]
        except FileNotFoundError:
            return []

    def test_is_handed_out_and_followed(self):
        gateway = self.start_gateway()
        self.assert_told(TORUS)
        self.assertEqual(sorted(self.service.outages()), [f"n{i}" for i in range(8)])
        changed = TORUS + "# changed\n"
        self.write("site.toml", changed)
        self.assert_told(changed)
        for broken in (None, "", "[topology]\nkind = \"ring\"\n", "\0"):
            if broken is None:
                os.remove(self.topology)
            else:
                self.write("site.toml", broken)
            answer = self.ask()
            self.assertEqual((answer.returncode, answer.stdout), (5, ""))
            self.assertIn("site.toml", answer.stderr)
        self.write("site.toml", TORUS)
        self.assert_told(TORUS)
        self.assert_running(gateway)

    def test_a_mistake_is_told_at_the_start(self):
        self.write("site.toml", '[topology]\nkind = "ring"\n')
        gateway = self.service.start("tofa-pmix-gateway", "--listen", self.service.uri, "--snapshot",
                                     self.service.snapshot, "--topology", self.topology)
        self.assertEqual(gateway.wait(timeout=DEADLINE), 2)
        self.assertIn("site.toml:", self.service.log("tofa-pmix-gateway.log"))

    def test_a_gateway_without_one_says_so(self):
        self.service.start_gateway()
        answer = self.ask()
        self.assertEqual((answer.returncode, answer.stdout, answer.stderr), (0, "tofa-topology none\n", ""))
        result = self.tofa("health", "topology")
        self.assertEqual(result.returncode, 1)
        self.assertIn("hands out no topology", result.stderr)

    def test_large_cluster(self):
        lines = [f'[[node]]\nname = "node{i:05}"\nat = [{i % 100}, {i // 100}]\n' for i in range(10_000)]
        large = '[topology]\nkind = "torus"\nshape = [100, 100]\n' + "".join(lines)
        self.write("site.toml", large)
        self.start_gateway()
        self.assert_told(large)
        result = self.tofa("health", "topology", "--json", "--deadline", "30")
        self.assertEqual(result.returncode, 0, result.stderr)
        said = json.loads(result.stdout)
        self.assertEqual((said["nodes"], said["signed"], said["text"]), (10_000, False, large))

    def test_is_signed(self):
        key = self.write("health.key", 64 * "9")
        os.chmod(key, 0o600)
        public = self.service.path("health.pub")
        with open(public, "w") as file:
            subprocess.run([os.path.join(BIN, "tofa-pmix-gateway"), "--key", key, "--public-key"], stdout=file,
                           check=True, timeout=DEADLINE)
        self.start_gateway("--key", key)
        self.assert_told(TORUS, "--key", public)
        self.assertEqual(self.tofa("topology", "check", TOFA_HEALTH_KEY=public).returncode, 0)
        fingerprint, = self.kept()
        for old, new in ((b"shape = [4, 2]", b"shape = [2, 4]"), (b"tofa.topology\0", b"tofa.unchange\0")):
            relay = Relay(self.service.gateway_port, lambda data: data.replace(old, new))
            self.addCleanup(relay.close)
            answer = self.ask("--key", public, uri=relay.uri)
            self.assertNotEqual(answer.returncode, 0)
            self.assertEqual(answer.stdout, "")
            if old.startswith(b"shape"):
                self.assertEqual(answer.returncode, REFUSED)
                self.assertIn("or it was altered", answer.stderr)
        # A snapshot, though signed, is no topology.
        relay = Relay(self.service.gateway_port, lambda data: data.replace(b"tofa.snapshot\0", b"tofa.topology\0"))
        self.addCleanup(relay.close)
        answer = self.service.query("--key", public, uri=relay.uri)
        self.assertEqual(answer.stdout, "")
        self.assertEqual(self.kept(), [fingerprint])

    def test_what_is_known_is_not_sent_again(self):
        self.start_gateway()
        first = Relay(self.service.gateway_port)
        self.addCleanup(first.close)
        environment = {"TOFA_HEALTH": first.uri}
        self.assertEqual(self.tofa("topology", "check", **environment).stdout, "torus 4x2: 8 nodes, 8 vertices\n")
        self.assertEqual(len(self.kept()), 1)
        first.close()
        self.assertIn(b"shape", b"".join(first.turns))
        # The same address again, for what is kept is the address's.
        second = Relay(self.service.gateway_port, port=int(first.uri.split(":")[1]))
        self.addCleanup(second.close)
        self.assertEqual(self.tofa("topology", "check", **environment).stdout, "torus 4x2: 8 nodes, 8 vertices\n")
        second.close()
        self.assertIn(b"tofa.unchanged", b"".join(second.turns))
        self.assertNotIn(b"shape", b"".join(second.turns))

    def place(self, nodes, **environment):
        self.write("app.bytes.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 1000\n")
        result = self.tofa("map", "--graph", self.service.path("app.bytes.mtx"), "--nodes", nodes, "--format", "json",
                           **environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        warnings = [line for line in result.stderr.splitlines() if "warning" in line]
        return json.loads(result.stdout)["inputs"]["topology"], warnings

    def test_placements_use_it(self):
        self.start_gateway()
        service = f"torus 4x2 (topology of the health service at {self.service.uri}) from TOFA_HEALTH, " \
                  "unchecked (no health_key)"
        self.assertEqual(self.place("n0,n1"), (service, []))
        named = self.write("named.toml", TORUS.replace("[4, 2]", "[8]"))
        self.assertEqual(self.place("n0,n1", TOFA_TOPOLOGY=named), (f"torus 8 ({named}) from TOFA_TOPOLOGY", []))

    def test_a_placement_goes_on_without_it(self):
        assumed = "none given; all nodes are taken to be equally far from each other"
        gateway = self.start_gateway()
        origin, warnings = self.place("n0,x1")
        self.assertEqual(origin, assumed)
        self.assertEqual(len(warnings), 1, warnings)
        self.assertIn('lacks node "x1"', warnings[0])
        os.remove(self.topology)
        self.assertEqual(self.place("n0,n1"), (assumed, []))
        self.stop(gateway)
        origin, warnings = self.place("n0,n1")
        self.assertEqual(origin, assumed)
        self.assertEqual(len(warnings), 1, warnings)
        self.assertIn("nobody answers there", warnings[0])


if __name__ == "__main__":
    unittest.main(verbosity=2)

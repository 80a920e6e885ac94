# SPDX-License-Identifier: BSD-3-Clause
"""`tofa health list|status` against a real gateway."""
import json
import os
import subprocess
import unittest

from service import BIN, DEADLINE, ServiceTest


class HealthCommand(ServiceTest):
    def setUp(self):
        super().setUp()
        self.service.write_snapshot({"n0": 0, "n1": 0.25, "n2": 1})

    def tofa(self, *arguments, uri=True, environment=None):
        where = ["--health", self.service.uri] if uri else []
        return subprocess.run([os.path.join(BIN, "tofa"), "health", *arguments, *where], capture_output=True, text=True,
                              timeout=DEADLINE, env={"PATH": os.environ["PATH"], "TOFA_SITE_FILE": "/nonexistent",
                                                     **(environment or {})})

    def test_list(self):
        self.service.start_gateway()
        result = self.tofa("list", "--deadline", "30")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = [line.split()[:2] for line in result.stdout.splitlines()]
        self.assertEqual(rows, [["host", "probability"], ["n2", "1.000000"], ["n1", "0.250000"], ["n0", "0.000000"]])

    def test_list_as_json(self):
        self.service.start_gateway()
        result = self.tofa("list", "--json", "--deadline", "30", uri=False,
                           environment={"TOFA_HEALTH": self.service.uri})
        self.assertEqual(result.returncode, 0, result.stderr)
        nodes = json.loads(result.stdout)["nodes"]
        self.assertEqual([(node["host"], node["probability"]) for node in nodes],
                         [("n2", 1), ("n1", 0.25), ("n0", 0)])

    def test_status(self):
        self.service.start_gateway()
        result = self.tofa("status", "--deadline", "30")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"^The health service answers, in \d+ ms: 3 hosts, 2 suspect \(n2 1, n1 0.25\)")
        self.service.write_snapshot({"n0": 0}, age=5000)
        result = self.tofa("status", "--deadline", "30")
        self.assertEqual(result.returncode, 1)
        self.assertIn("stale", result.stdout)

    def test_no_data(self):
        self.service.start_gateway()
        os.remove(self.service.snapshot)
        result = self.tofa("status", "--deadline", "30")
        self.assertEqual(result.returncode, 1)
        self.assertIn("is tofa-healthd running", result.stderr)
        self.assertNotIn("start tofa-pmix-gateway", result.stderr)

    def test_nobody_answers(self):
        result = self.tofa("status")
        self.assertEqual(result.returncode, 1)
        self.assertIn("start tofa-pmix-gateway there", result.stderr)
        result = self.tofa("status", "--health", "nonsense", uri=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn('health service at nonsense cannot be asked: "nonsense" is not', result.stderr)
        self.assertNotIn("tofa-pmix-gateway", result.stderr)
        result = self.tofa("status", uri=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("set TOFA_HEALTH", result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)

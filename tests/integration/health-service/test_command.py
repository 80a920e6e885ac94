# SPDX-License-Identifier: BSD-3-Clause
"""`tofa health list|status|history`, and placements with a horizon, against a real gateway."""
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

    def test_history(self):
        self.service.write_snapshot({"n0": 0, "n2": 0}, outages=[
            {"host": "n0", "start": 1700000000.5, "end": 1700000060, "cause": "heartbeat"},
            {"host": "n1", "start": 1700000100, "end": 0, "cause": "slurm"}])
        self.service.start_gateway()
        result = self.tofa("history", "--deadline", "30")
        self.assertEqual([line.split() for line in result.stdout.splitlines()],
                         [["host", "start", "end", "cause"],
                          ["n0", "2023-11-14T22:13:20Z", "2023-11-14T22:14:20Z", "heartbeat"],
                          ["n1", "2023-11-14T22:15:00Z", "still", "slurm"]])
        result = self.tofa("history", "n1.cluster", "--json", "--deadline", "30")
        self.assertEqual(json.loads(result.stdout), {"version": 1, "outages": [
            {"host": "n1", "start": 1700000100, "end": None, "cause": "slurm"}]})
        result = self.tofa("history", "n2", "--deadline", "30")
        self.assertEqual((result.returncode, result.stdout), (0, "no outages of n2 are known\n"))
        result = self.tofa("history", "n3", "--deadline", "30")
        self.assertEqual(result.returncode, 1)
        self.assertIn('does not watch "n3"', result.stderr)

    def test_show(self):
        self.service.write_snapshot({"n0": 0, "n1": 0}, rates={"n0": 0.01}, outages=[
            {"host": "n0", "start": 1700000000, "end": 1700000060, "cause": "heartbeat"},
            {"host": "n1", "start": 1700000100, "end": 0, "cause": "slurm"}])
        self.service.start_gateway()
        result = self.tofa("show", "n0", "--deadline", "30")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"^n0: up, observed \d+ s ago\n"
                         r"outage probability: 0 now, 0.00995 within 1h, 0.213 within 24h, 0.814 within 7d\n"
                         r"outages per day that it is up: 0.24\n"
                         r"outages, the latest 1 of 1 that the service tells:\n"
                         r"  2023-11-14T22:13:20Z  2023-11-14T22:14:20Z  heartbeat\n$")
        shown = json.loads(self.tofa("show", "n1.cluster", "--json", "--deadline", "30").stdout)
        self.assertEqual((shown["host"], shown["state"], shown["probability_within"]["24h"]), ("n1", "up", 0))
        self.assertEqual(shown["outages"], [{"start": 1700000100, "end": None, "cause": "slurm"}])
        result = self.tofa("show", "n3", "--deadline", "30")
        self.assertEqual(result.returncode, 1)
        self.assertIn('does not watch "n3"', result.stderr)

    def test_who_is_excluded(self):
        with open(self.service.snapshot) as file:
            snapshot = json.load(file)
        snapshot["hosts"][1].update(probability=1, state="planned", excluded={
            "reason": "fan, right", "by": "alice", "since": 1700000000.5, "until": 1700003600})
        snapshot["hosts"][2].update(state="planned", excluded={"reason": "r", "by": "root", "since": 1700000000})
        with open(self.service.snapshot, "w") as file:
            json.dump(snapshot, file)
        self.service.start_gateway()
        said = "excluded by alice since 2023-11-14T22:13:20Z until 2023-11-14T23:13:20Z: fan, right\n"
        self.assertIn("\n" + said, self.tofa("show", "n1", "--deadline", "30").stdout)
        self.assertEqual(self.tofa("history", "n1", "--deadline", "30").stdout, said + "no outages of n1 are known\n")
        expected = {"reason": "fan, right", "by": "alice", "since": 1700000000, "until": 1700003600}
        for command in "show", "history":
            answer = json.loads(self.tofa(command, "n1", "--json", "--deadline", "30").stdout)
            self.assertEqual(answer["excluded"], expected)
            self.assertNotIn("excluded", json.loads(self.tofa(command, "n0", "--json", "--deadline", "30").stdout))
        self.assertIsNone(json.loads(self.tofa("show", "n2", "--json", "--deadline", "30").stdout)["excluded"]["until"])
        rows = self.tofa("list", "--deadline", "30").stdout.splitlines(keepends=True)
        self.assertTrue(rows[1].endswith("  " + said), rows)
        self.assertTrue(rows[3].endswith("  up\n"), rows)
        listed = {node["host"]: node for node in
                  json.loads(self.tofa("list", "--json", "--deadline", "30").stdout)["nodes"]}
        self.assertEqual(listed["n1"]["excluded"], {**expected, "since": 1700000000.5})
        self.assertEqual(listed["n2"]["excluded"], {"reason": "r", "by": "root", "since": 1700000000})
        self.assertNotIn("excluded", listed["n0"])
        self.assertIn("Admins excluded n[1-2].\n", self.tofa("status", "--deadline", "30").stdout)
        self.assertEqual(json.loads(self.tofa("status", "--json", "--deadline", "30").stdout)["excluded"], ["n1", "n2"])

    def test_names_that_a_host_had(self):
        with open(self.service.snapshot) as file:
            snapshot = json.load(file)
        snapshot["hosts"][0]["was"] = [{"name": "m0", "until": 1700000000.5, "by": "alice", "reason": "new rack"}]
        with open(self.service.snapshot, "w") as file:
            json.dump(snapshot, file)
        self.service.start_gateway()
        self.assertEqual(self.tofa("history", "n0", "--deadline", "30").stdout,
                         "n0 was called m0 until 2023-11-14T22:13:20Z, says alice: new rack\nno outages of n0 are known\n")
        answer = json.loads(self.tofa("history", "n0", "--json", "--deadline", "30").stdout)
        self.assertEqual(answer["was"], [{"name": "m0", "until": 1700000000, "by": "alice", "reason": "new rack"}])
        self.assertNotIn("was", json.loads(self.tofa("history", "n1", "--json", "--deadline", "30").stdout))

    def test_a_horizon_makes_nodes_that_fail_often_suspect(self):
        self.service.write_snapshot({"n0": 0, "n1": 0, "n2": 0}, rates={"n0": 0.5, "n1": 0.000114})
        self.service.start_gateway()
        result = self.tofa("list", "--json", "--deadline", "30")
        self.assertEqual({node["host"]: node["rate"] for node in json.loads(result.stdout)["nodes"]},
                         {"n0": 0.5, "n1": 0.000114, "n2": 0})
        with open(self.service.path("outages.json"), "w") as file:
            file.write(result.stdout)
        with open(self.service.path("app.bytes.mtx"), "w") as file:
            file.write("%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 1000\n")
        with open(self.service.path("torus.toml"), "w") as file:
            file.write('[topology]\nkind = "mesh"\nshape = [3]\nnodes = "n[0-2]"\n')
        for source in ("--health", self.service.uri), ("--outages", self.service.path("outages.json")):
            for horizon, expected in ((None, ["n0", "n1"]), ("0", ["n0", "n1"]), ("1h", ["n1", "n2"]),
                                      ("1-00:00:00", ["n1", "n2"])):
                result = subprocess.run(
                    [os.path.join(BIN, "tofa"), "map", "--graph", self.service.path("app.bytes.mtx"), "--topology",
                     self.service.path("torus.toml"), *source, *(["--horizon", horizon] if horizon else [])],
                    capture_output=True, text=True, timeout=DEADLINE)
                self.assertEqual(sorted(result.stdout.split()), expected, f"{source} {horizon} {result.stderr}")

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
        self.assertNotIn("warns", result.stdout)
        self.service.write_snapshot({"n0": 0}, warnings=["the disk is full"])
        self.assertIn("It warns: the disk is full\n", self.tofa("status", "--deadline", "30").stdout)
        result = self.tofa("status", "--json", "--deadline", "30")
        self.assertEqual(json.loads(result.stdout)["warnings"], ["the disk is full"])
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

# SPDX-License-Identifier: BSD-3-Clause
"""bench/drawn.py: its traffic is what tofa reads, whatever the number of ranks, and a draw is the same wherever it is made."""
import csv
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BENCH = SOURCE / "bench"
TOFA = pathlib.Path(os.environ.get("TOFA_BUILD", SOURCE / "build")) / "bin" / "tofa"
sys.path.insert(0, str(BENCH))

import drawn
import drawn_families
import families

RANKS = (200, 201, 211, 256, 360, 402)  # round, odd, prime, powers of two, and with long sides
DRAWS = 300
SECONDS = 120  # for what takes a few


class Families(unittest.TestCase):
    def test_pairs_are_what_tofa_reads(self):
        for name, make in drawn.TRAFFIC.items():
            for ranks in RANKS:
                with self.subTest(family=name, ranks=ranks):
                    pairs = make(ranks, random.Random(ranks))
                    self.assertTrue(pairs)
                    for a, b, weight in pairs:
                        self.assertNotEqual(a, b)
                        self.assertTrue(0 <= min(a, b) and max(a, b) < ranks, (a, b))
                        self.assertTrue(isinstance(weight, int) and weight > 0, weight)
                    self.assertEqual(len({frozenset(pair[:2]) for pair in pairs}), len(pairs))

    def test_they_are_the_same_for_a_seed(self):
        for name, make in drawn_families.FAMILIES.items():
            with self.subTest(family=name):
                self.assertEqual(make(RANKS[0], random.Random(1)), make(RANKS[0], random.Random(1)))

    def test_names_are_of_one_family_each(self):
        self.assertEqual(set(families.FAMILIES) & set(drawn_families.FAMILIES), set())


class Draws(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_ranks_fit_on_the_nodes(self):
        for draw in map(drawn.Draw, range(1, DRAWS + 1)):
            nodes = families.machine(draw.machine)[1]
            self.assertEqual(sorted(set(draw.nodes)), list(draw.nodes), draw.title)
            self.assertTrue(0 <= draw.nodes[0] and draw.nodes[-1] < nodes, draw.title)
            self.assertLessEqual(draw.ranks, len(draw.nodes) * draw.slots, draw.title)
            self.assertTrue(drawn.FEWEST <= draw.ranks <= drawn.MOST, draw.title)

    def test_everything_is_drawn(self):
        titles = [drawn.Draw(number).title for number in range(1, DRAWS + 1)]
        names = [f" {machine} " for machine in drawn.MACHINES] + [f": {family}, " for family in drawn.TRAFFIC]
        for words in (*drawn.ALLOCATIONS, *names):
            self.assertTrue(any(words in title for title in titles), words)
        self.assertLess(abs(sum(" ranks in order " in title for title in titles) / DRAWS - 0.25), 0.1)

    def test_no_transposes_in_long_grids(self):
        self.assertNotIn("pencils", drawn.families_for(8191))
        self.assertIn("pencils", drawn.families_for(1024))

    def test_a_draw_is_the_same_in_every_process(self):
        write = "import sys, drawn; draw = drawn.Draw(int(sys.argv[1])); draw.write(sys.argv[2]); print(draw.title, *draw.hosts)"
        for number in (2, 3, 4):
            here = drawn.Draw(number)
            here.write(self.folder)
            graph = here.graph.read_text()
            for hash_seed in ("1", "2"):
                here.graph.unlink()
                done = subprocess.run([sys.executable, "-B", "-c", write, str(number), self.folder], capture_output=True, text=True,
                                      timeout=SECONDS, check=True,
                                      env={**os.environ, "PYTHONPATH": str(BENCH), "PYTHONHASHSEED": hash_seed})
                self.assertEqual(done.stdout, " ".join([here.title, *here.hosts]) + "\n")
                self.assertEqual(here.graph.read_text(), graph, here.title)

    def measured(self, *options):
        """Rows and text, by what their files are called."""
        command = [BENCH / "drawn.py", "--first", "3", "--draws", "2", "--search", "0", "--folder", self.folder, *options, TOFA]
        done = subprocess.run([sys.executable, "-B", *command], check=True, capture_output=True, text=True, timeout=SECONDS)
        (table,) = self.folder.glob("*.tsv")
        with open(table, encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines, delimiter="\t"))
        text = table.with_suffix(".md").read_text(encoding="utf-8")
        self.assertTrue(done.stdout.endswith(text + "\n"))
        return table.stem, rows, text

    def test_draws_are_measured(self):
        name, rows, text = self.measured()
        titles = [drawn.Draw(number).title for number in (3, 4)]
        self.assertEqual([(row["limit"], row["case"]) for row in rows],
                         [(limit, title) for title in titles for limit in ("0.1", "1")])
        # There was no other search: the least is one of these two.
        for title in titles:
            self.assertEqual(min(float(row["over_least_seen"]) for row in rows if row["case"] == title), 1)
        self.assertEqual(name, "drawn")
        self.assertIn("hops_per_byte", rows[0])
        self.assertIn("of the least seen, geometric mean of 2 cases", text)
        self.assertIn("Medians: ", text)

    def test_draws_are_measured_by_another_objective(self):
        name, rows, text = self.measured("--objective", "completion-time")
        self.assertEqual(name, "drawn-completion-time")
        self.assertTrue(all(float(row["cost_per_byte"]) > 0 for row in rows))
        self.assertIn("| cost per byte |", text)

    def test_no_draw_is_meant(self):
        done = subprocess.run([sys.executable, "-B", BENCH / "drawn.py", "--only", "nothing like it"], capture_output=True,
                              text=True, timeout=SECONDS, check=False)
        self.assertEqual((done.returncode, done.stderr), (1, 'no draw of these has "nothing like it" in its title\n'))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bench/compare.py tells how soon an answer was how good, and its pictures say what their axes are."""
import math
import pathlib
import sys
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import compare  # noqa: E402
import plot  # noqa: E402


def row(mapper, seconds, hops, case="grid", ranks=512, failed=""):
    return {"case": case, "ranks": ranks, "mapper": mapper, "hops_per_byte": hops, "max_link_load": 1.0, "seconds": seconds,
            "megabytes": 10.0, "failed": failed}


MINE = [row("tofa", 0.1, 2.0), row("tofa", 0.3, 1.2), row("tofa", 1.0, 1.3), row("tofa", 3.0, 1.0)]


def words_of(picture):
    return [text.text for text in xml.etree.ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]


class HowSoon(unittest.TestCase):
    def test_the_first_answer_that_is_as_good_counts(self):
        self.assertEqual(compare.seconds_until(MINE, 1.25), 0.3)
        self.assertEqual(compare.seconds_until(MINE, 1.0), 3.0)
        self.assertTrue(math.isnan(compare.seconds_until(MINE, 0.9)))
        self.assertTrue(math.isnan(compare.seconds_until([row("tofa", 0.1, 1.0, failed="failed")], 1.0)))

    def test_it_is_the_better_of_the_others_that_counts(self):
        others = [row("METIS", 0.2, 1.9), row("Scotch", 0.4, 1.25), row("Scotch", 0.4, math.nan, failed="> 60 s")]
        found = compare.as_soon_as_good(MINE, others)
        self.assertEqual((found["seconds"], found["hops_per_byte"]), (0.3, 1.0))

    def test_the_least_is_what_is_known_or_seen(self):
        rows = [row("tofa", 0.1, 1.7, case="rgg512"), row("METIS", 0.1, 1.7, case="geometric:4096"),
                row("tofa", 0.2, 1.6, case="geometric:4096"), row("Scotch", 60, math.nan, case="geometric:4096", failed="> 60 s")]
        self.assertEqual(compare.best_values(rows), {"rgg512": 1.673, "geometric:4096": 1.6})

    def test_without_others_it_is_what_it_comes_to(self):
        self.assertEqual(compare.as_soon_as_good(MINE, [])["seconds"], 3.0)

    def test_what_never_gets_there_is_told(self):
        rows = [{**r, "case": "grid:512"} for r in (*MINE, row("METIS", 0.2, 0.5), row("Scotch", 0.4, 1.25))]
        table = compare.race_table(rows, {"grid:512": 0.5})
        self.assertNotIn("nan", table)
        self.assertIn("| 2D stencil, in order, 512 | 0.500 | 0.2 | 1.250 | 0.4 | - | - | - | - | - | - | 0.500 |", table)


class Pictures(unittest.TestCase):
    def test_axes_have_names(self):
        others = [row("METIS", 0.2, 1.9), row("Scotch", 0.4, 1.25)]
        rows = [*others, compare.as_soon_as_good(MINE, others), row("Scotch", 60, math.nan, ranks=4096, failed="> 60 s")]
        words = words_of(plot.scaling(rows, ["METIS", "Scotch", "tofa"], compare.ABOUT, {"seconds": "seconds until as good"}))
        for expected in ("ranks", "seconds until as good", "2D stencil, in order", "METIS", "tofa"):
            self.assertIn(expected, words)

    def test_a_race_has_a_diagram_for_each_case(self):
        rows = [*MINE, row("METIS", 0.2, 1.9), row("Scotch", 60, math.nan, failed="> 60 s")]
        rows += [{**r, "case": "geometric"} for r in rows]
        rows += [row("tofa", 60, math.nan, case="shuffled", failed="failed")]
        least = {"grid": 1.0, "geometric": 1.0, "shuffled": math.inf}
        picture = plot.race(rows, ["tofa", "METIS", "Scotch"], least, compare.ABOUT)
        words = words_of(picture)
        self.assertEqual(words.count("seconds"), 2)
        self.assertEqual(words.count("hops per byte over the least"), 2)
        self.assertIn("random geometric", words)
        self.assertNotIn("nan", picture)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: BSD-3-Clause
"""bench/evaluate: its registry is whole, its cells are measured once, and a run that was killed goes on. Where SimGrid is, a program
is simulated, with and without nodes that fail."""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
EVALUATE = SOURCE / "bench" / "evaluate" / "evaluate.py"
sys.path[:0] = [str(SOURCE / "bench"), str(SOURCE / "bench" / "evaluate")]

import cells
import charts
import evaluate
import item as items
import lab
import page
import registry
import routes

SECONDS = 120  # for what takes one


class Registry(unittest.TestCase):
    def test_everything_published_is_measured_once_or_excused(self):
        covered = [name for item in registry.ITEMS for name in item.covers] + list(registry.NOT_MEASURED)
        self.assertEqual(sorted(covered), sorted(registry.PUBLISHED))

    def test_names_are_unique_and_found(self):
        names = [item.name for item in registry.ITEMS]
        self.assertEqual(len(set(names)), len(names))
        self.assertEqual([item.name for item in registry.find(["table-6.1"])], ["hops"])
        self.assertEqual(registry.find([]), registry.ITEMS)
        with self.assertRaisesRegex(LookupError, "table-9.9.*known are .*table-6.1"):
            registry.find(["hops", "table-9.9"])

    def test_cells_have_files_of_their_own_in_each_form(self):
        for form in items.FORMS.values():
            wanted = {cell for item in registry.ITEMS for cell in item.cells(form)}
            self.assertEqual(len({cell.name() for cell in wanted}), len(wanted))

    def test_a_quick_run_is_a_part_of_a_full_one(self):
        # Failures are drawn, mapping times and batches are not: what is measured in a quick run counts in a full one.
        for item in registry.ITEMS:
            quick, full = (set(item.cells(items.FORMS[form])) for form in ("quick", "full"))
            self.assertTrue({cell for cell in quick if cell.kind != "failures"} <= full, item.name)

    def test_items_are_shown_while_nothing_is_measured(self):
        form = items.FORMS["quick"]
        shown = {item: item.show(form, lambda _: None) for item in registry.ITEMS}
        self.assertIn("## Average hops per byte", page.markdown(form, shown, {}))
        document = page.html(form, shown)
        self.assertIn("<h2 id='hops'>", document)
        self.assertIn("<em>list order</em>", document)
        self.assertNotIn("`", document)

    def test_the_page_of_the_documentation_has_every_item(self):
        text = (SOURCE / "docs" / "papers.md").read_text(encoding="utf-8")
        for item in registry.ITEMS:
            for words in (f"## {item.title}\n\n{page.titles_of(item.covers)}.\n", item.published, item.method, item.why):
                self.assertTrue(words in text, f"docs/papers.md lacks: {words}")
        self.assertNotIn("**Wrong:**", text)


class Cells(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.store = cells.Store(self.folder.name, "mine")
        self.one = cells.cell("run", program="cg-64", seed=1)

    def test_a_result_is_kept(self):
        self.assertIsNone(self.store.get(self.one))
        self.store.put(self.one, {"seconds": 1.5})
        self.assertEqual(self.store.get(self.one), {"seconds": 1.5})
        self.assertIsNone(self.store.get(cells.cell("run", program="cg-64", seed=2)))

    def test_results_of_other_programs_and_damaged_ones_do_not_count(self):
        self.store.put(self.one, {"seconds": 1.5})
        self.assertIsNone(cells.Store(self.folder.name, "other").get(self.one))
        path = self.store.path(self.one)
        for text in ("", path.read_text()[:40], "[]", "{}"):
            path.write_text(text)
            self.assertIsNone(self.store.get(self.one), text)

    def test_shares_are_all_and_disjoint(self):
        wanted = [cells.cell("run", seed=seed) for seed in range(17)]
        shares = [cells.share_of(wanted, part, 5) for part in range(1, 6)]
        self.assertEqual(sorted(sum(shares, []), key=wanted.index), wanted)
        self.assertEqual(sum(map(len, shares)), 17)

    def test_only_what_is_missing_is_measured_and_a_failure_costs_no_other(self):
        wanted = [cells.cell("run", seed=seed) for seed in range(4)]
        self.store.put(wanted[0], {"seconds": 0})
        asked = []

        def measure(one):
            asked.append(one)
            if one == wanted[1]:
                raise lab.Failed("the reason")
            return {"seconds": one["seed"]}

        failed = cells.measure_all(wanted, self.store, measure, 2)
        self.assertEqual(failed, {wanted[1]: "the reason"})
        self.assertCountEqual(asked, wanted[1:])
        self.assertEqual(self.store.get(wanted[3]), {"seconds": 3})
        self.assertIsNone(self.store.get(wanted[1]))


class Fingerprint(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_it_is_of_contents_and_releases(self):
        one, two = self.folder / "one", self.folder / "two"
        found = set()
        for contents, release in (("ab", "3.32"), ("ba", "3.32"), ("ab", "3.35"), ("ab", "none")):
            one.write_text(contents[0])
            two.write_text(contents[1])
            found.add(cells.fingerprint_of([one, two], [release]))
            self.assertEqual(cells.fingerprint_of([two, one], [release]), cells.fingerprint_of([one, two], [release]))
        self.assertEqual(len(found), 4)

    def test_every_script_that_measures_counts(self):
        ask = "import sys, measurements; print(*(getattr(one, '__file__', None) for one in sys.modules.values()), sep='\\n')"
        folders = [SOURCE / "bench", SOURCE / "bench" / "evaluate"]
        done = subprocess.run([sys.executable, "-B", "-c", ask], capture_output=True, text=True, timeout=SECONDS, check=True,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))})
        used = {path for path in map(pathlib.Path, done.stdout.splitlines()) if SOURCE / "bench" in path.parents}
        self.assertIn(SOURCE / "bench" / "evaluate" / "measurements.py", used)
        self.assertEqual(used - set(evaluate.what_measures()), set())
        self.assertEqual([path for path in evaluate.what_measures() if not path.exists()], [])

    def test_releases(self):
        program = self.folder / "program"
        program.write_text("#!/bin/sh\necho release $1\n")
        program.chmod(0o755)
        self.assertEqual(lab.release(program, "7"), "release 7\n")
        self.assertEqual(lab.release(self.folder / "absent"), "none")

    def test_what_others_made_is_not_used(self):
        kept = lab.Lab(self.folder, "mine")
        (kept.profiles / "cg-8.bytes.mtx").write_text("traffic")
        (kept.targets / "8x8x8.tgt").write_text("target")
        self.assertEqual(lab.Lab(self.folder, "mine").traffic("cg-8").read_text(), "traffic")
        other = lab.Lab(self.folder, "other")
        self.assertEqual([*other.profiles.iterdir(), *other.targets.iterdir()], [])


class Parts(unittest.TestCase):
    def test_routes_are_those_of_tofa(self):
        dice = random.Random(1)
        for shape in ((8, 8, 8), (4, 6, 5), (2, 3, 4)):
            with tempfile.TemporaryDirectory() as folder:
                lab.make_torus(shape, folder)
                nodes = shape[0] * shape[1] * shape[2]
                for _ in range(25):
                    pair = dice.sample(range(nodes), 2)
                    links = json.loads(lab.run_well([lab.TOFA, "topology", "query", *(f"n{node}" for node in pair), "--topology",
                                                     f"{folder}/topology.toml"]))["links"]
                    expected = [int(links[0]["from"][1:]), *(int(link["to"][1:]) for link in links)]
                    self.assertEqual(routes.route(*pair, shape), expected, (shape, pair))

    def test_equation_1(self):
        # On a ring of 8, node 2 suspect: both of its links cost 101, on the way from 1 to 4 and back.
        cost = routes.equation_1(range(8), (8, 1, 1), [2], 100)
        self.assertEqual(cost[1][4], 3 + 2 * 100)
        self.assertEqual(cost[2][3], 101)
        self.assertEqual(cost[4][6], 2)
        self.assertEqual(cost[1][5], 4 + 100)  # one way goes past it, with two of its links, and the other does not

    def test_the_first_run(self):
        self.assertEqual(routes.first_run({1, 3}, 2, 8), [4, 5])
        self.assertEqual(routes.first_run({2, 5}, 3, 8), list(range(8)))

    def test_links_of_a_node(self):
        names = lab.links_of([0], (8, 8, 8))
        self.assertEqual(len(names), 12)
        self.assertIn("torus_link_from_7_to_0_UP", names)
        self.assertIn("torus_link_from_0_to_64_DOWN", names)

    def test_bars_and_lines_name_their_axes(self):
        for picture in (charts.bars(["a", "b"], {"one": [1, None], "two": [2.5, 3]}, "across", "up"),
                        charts.lines({"one": [(512, 0.1), (1024, 3)], "two": []}, "across", "up")):
            self.assertIn(">across<", picture)
            self.assertIn(">up<", picture)


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def command(self, *words):
        return [sys.executable, "-B", EVALUATE, "--form", "tiny", "--folder", self.folder / "kept", *words]

    def test_a_run_that_was_killed_goes_on(self):
        hold = self.folder / "hold"
        hold.touch()
        program = self.folder / "build" / "bin" / "tofa"
        program.parent.mkdir(parents=True)
        program.write_text('#!/bin/sh\n'
                           f'case "$*" in *lmp64*) while [ -e {hold} ]; do sleep 0.1; done ;; esac\n'
                           f'exec {lab.TOFA} "$@"\n')
        program.chmod(0o755)
        environment = {**os.environ, "TOFA_BUILD": str(self.folder / "build")}
        command = self.command("-j", "1", "--only", "fixture_(cg|lmp)64.*_(default|greedy)-", "hops")
        first = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 start_new_session=True)
        try:
            self.wait_for(lambda: len(self.results()) == 2)
        finally:
            os.killpg(first.pid, signal.SIGKILL)
            first.wait()
        before = {path: path.stat().st_mtime_ns for path in self.results()}
        self.assertFalse((self.folder / "kept" / "papers.md").exists())
        hold.unlink()
        again = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SECONDS, check=True)
        self.assertIn("4 measurements, 2 are there", again.stderr)
        self.assertEqual({path: path.stat().st_mtime_ns for path in before}, before)
        self.assertEqual(len(self.results()), 4)
        self.assertIn("| CG 64, recorded | 2.84 | - |", (self.folder / "kept" / "papers.md").read_text())
        self.assertIn("<svg", (self.folder / "kept" / "papers.html").read_text())

    def results(self):
        return list((self.folder / "kept" / "results").glob("*.json"))

    def wait_for(self, condition):
        end = time.monotonic() + SECONDS
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def test_shares_measure_all_together(self):
        for part in ("1/2", "2/2"):
            done = subprocess.run(self.command("--only", "fixture_cg64.*_(default|greedy)-", "--array", part, "hops"),
                                  capture_output=True, text=True, timeout=SECONDS, check=True)
            self.assertEqual(done.stdout, "")
        self.assertEqual(len(self.results()), 2)
        environment = {**os.environ, "SLURM_ARRAY_TASK_ID": "4", "SLURM_ARRAY_TASK_MIN": "3", "SLURM_ARRAY_TASK_COUNT": "2"}
        done = subprocess.run(self.command("--only", "fixture_cg64.*_(default|greedy)-", "--array", "hops"), env=environment,
                              capture_output=True, text=True, timeout=SECONDS, check=True)
        self.assertIn("1 measurements, 1 are there", done.stderr)

    def test_what_is_wrong_is_named(self):
        for words, message in ((["table-9.9"], "nothing is known of table-9.9"), (["--array", "3/2"], "there is no share 3 of 2"),
                               (["--array", "x/y"], '"x/y" is not K/N'), (["-j", "0"], '"0" is not a number of 1 or more'),
                               (["--only", "("], "no regular expression")):
            done = subprocess.run(self.command(*words), capture_output=True, text=True, timeout=SECONDS, check=False)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(message, done.stderr)

    @unittest.skipUnless(shutil.which("smpicc") and shutil.which("smpirun"), "SimGrid is not installed")
    def test_programs_are_simulated(self):
        done = subprocess.run(self.command("broadcast"), capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| 0 | 0 | 4 | 4 | 0 | 4 | 0 | 0 | 0 |", done.stdout)
        work = lab.Lab(self.folder / "kept", "tested")
        with work.scratch() as scratch:
            case = work.case(work.traffic("cg-8"), 8, lab.CUBE, scratch)
            work.place(case, "default")
            self.assertGreater(lab.simulate("cg-8", case.hosts, case.platform), 0)
            # Ranks are on nodes 0 to 7, a row: no route leaves it.
            self.assertTrue(lab.survives(case, "cg-8", [8, 500]))
            self.assertFalse(lab.survives(case, "cg-8", [3]))


if __name__ == "__main__":
    unittest.main()

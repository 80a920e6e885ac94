# SPDX-License-Identifier: BSD-3-Clause
"""tofa report's page as people meet it: in a browser, on light and dark ground, with a keyboard, and when something is
wrong with it. Needs TOFA (the program) and TOFA_FIXTURES."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import browser

TOFA = os.environ["TOFA"]
CASES = os.path.join(os.environ["TOFA_FIXTURES"], "cases")
TORUS = '[topology]\nkind = "torus"\nshape = [4, 2, 2]\nnodes = "n[00-15]"\n'


def write_graph(path, ranks, entries, quantity="bytes"):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'%%MatrixMarket matrix coordinate integer general\n%tofa {{"quantity": "{quantity}"}}\n'
                   f"{ranks} {ranks} {len(entries)}\n")
        file.writelines(f"{sender + 1} {receiver + 1} {value}\n" for (sender, receiver), value in sorted(entries.items()))


class ReportPage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("torus.toml", TORUS)
        self.write("outages", "n02 1\nn09 0.3\n")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        pathlib.Path(self.path(name)).write_text(text, "utf-8")

    def read(self, name):
        return pathlib.Path(self.path(name)).read_text("utf-8")

    def report(self, *arguments):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("TOFA_", "SLURM_"))}
        environment["TOFA_SITE_FILE"] = self.path("no-site-file")
        return subprocess.run([TOFA, "report", *arguments], cwd=self.folder, env=environment, capture_output=True, text=True,
                              timeout=browser.DEADLINE, check=False)

    def make(self, *arguments):
        result = self.report(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def lammps(self):
        self.make(f"{CASES}/lmp64", "--topology", "torus.toml", "--slots", "5", "--outages", "outages", "-o", "app.html")
        return self.path("app.html")

    def write_sizes(self, *rows):
        lines = [f"%%tofa message sizes\n4 4 {len(rows)}", *(" ".join(map(str, row)) for row in rows)]
        self.write("app.sizes.txt", "\n".join(lines) + "\n")

    def data(self, page):
        return json.loads(re.search(r'id="data">(.*?)</script>', self.read(page), re.S).group(1))


class Command(ReportPage):
    def test_a_graph_alone_is_a_page_named_after_it(self):
        result = self.make(f"{CASES}/lmp64")
        self.assertEqual(result.stderr, "tofa: wrote lmp64.html\n")
        data = self.data(self.path("lmp64.html"))
        self.assertEqual([order["title"] for order in data["orders"]], ["Ranks in their order"])
        self.assertEqual((data["gain"], data["links"]), ([], []))
        self.assertIn("Without a machine, this is about the traffic alone: no topology", self.read("lmp64.html"))

    def test_mappings_before_and_after(self):
        self.write("new", "".join(f"n{rank // 4:02}\n" for rank in range(64)))
        self.write("old", "".join(f"n{15 - rank // 4:02}\n" for rank in range(64)))
        self.make(f"{CASES}/lmp64", "--topology", "torus.toml", "--before", "old", "--mapping", "new", "--title", "a <b>",
                  "-o", "a.html")
        data = self.data(self.path("a.html"))
        self.assertEqual(data["title"], "a <b>")
        self.assertEqual([order["title"] for order in data["orders"]], ["Before: old", "After: new"])
        self.assertEqual([len(order["blocks"]) for order in data["orders"]], [16, 16])
        self.assertEqual(data["matrices"][0]["views"][0]["between"], data["matrices"][0]["views"][1]["between"])
        # A mapping says which nodes there are.
        self.make(f"{CASES}/lmp64", "--mapping", "new", "-o", "b.html")
        self.assertTrue(self.data(self.path("b.html"))["gain"])

    def test_all_files_of_a_profile_are_in_it(self):
        for part in ("", ".user", ".collective", ".one-sided"):
            for quantity in ("bytes", "messages"):
                write_graph(self.path(f"app{part}.{quantity}.mtx"), 4, {(0, 1): 5}, quantity)
        write_graph(self.path("app.user.messages.mtx"), 3, {(0, 1): 5}, "messages")
        self.make("app")
        self.assertIn("app.user.messages.mtx has another number of ranks", self.read("app.html"))
        self.assertEqual([(matrix["part"], matrix["bytes"]) for matrix in self.data(self.path("app.html"))["matrices"]],
                         [("all", True), ("all", False), ("user", True), ("collective", True), ("collective", False),
                          ("one-sided", True), ("one-sided", False)])

    def test_phases_are_in_it_as_far_as_a_browser_can_hold_them(self):
        write_graph(self.path("app.bytes.mtx"), 1000, {(0, 1): 5})
        for phase in (2, 99):
            write_graph(self.path(f"app.phase{phase}.bytes.mtx"), 1000, {(0, 1): 5})
        write_graph(self.path("app.phase2.user.bytes.mtx"), 1000, {(0, 1): 5})
        write_graph(self.path("app.phase100.bytes.mtx"), 1000, {(0, 1): 5})
        self.make("app")
        self.assertEqual([(matrix["part"], matrix.get("phase")) for matrix in self.data(self.path("app.html"))["matrices"]],
                         [("all", None), ("all", 2), ("user", 2), ("all", 99)])
        dense = {(sender, receiver): 1 for sender in range(1000) for receiver in range(500)}
        write_graph(self.path("app.phase3.bytes.mtx"), 1000, dense)
        for phase in range(4, 12):
            shutil.copy(self.path("app.phase3.bytes.mtx"), self.path(f"app.phase{phase}.bytes.mtx"))
        self.make("app")
        phases = [matrix.get("phase") for matrix in self.data(self.path("app.html"))["matrices"]]
        self.assertEqual(phases, [None, 2, *range(2, 10)])
        self.assertRegex(self.read("app.html"), r"too large for a browser with them: app\.phase10\S+, app\.phase11\S+, app\.phase99")

    def test_files_of_a_profile_that_are_of_no_use_are_named(self):
        write_graph(self.path("app.bytes.mtx"), 5, {(0, 1): 5})
        for name, text, message in (("ranks.json", '{"run_seconds": [1, 2]}', "app.ranks.json: has another number of ranks"),
                                    ("other-jobs.txt", "%rank job peer class messages bytes\n5 9 0 user 1 1\n",
                                     "app.other-jobs.txt: has another number of ranks")):
            self.write(f"app.{name}", text)
            self.make("app")
            self.assertIn(message, self.read("app.html"))
        for sizes, message in (((5, 1, 2, 3), "app.sizes.txt:3: rank 5 is outside 1 to 4"),
                               ((1, 2, 4, 1), "app.sizes.txt: has another number of ranks")):
            self.write_sizes(sizes)
            self.make("app")
            self.assertNotIn("sizes", self.data(self.path("app.html")))
            self.assertIn(message, self.read("app.html"))

    def test_matrices_of_a_profile_that_are_of_no_use_are_named(self):
        write_graph(self.path("app.bytes.mtx"), 5, {(0, 1): 5})
        for name in ("app.user.messages.mtx", "app.phase1.bytes.mtx"):
            with self.subTest(name):
                self.write(name, "%%MatrixMarket matrix coordinate integer general\n5 5 3\n1 2 7\n")
                self.make("app")
                self.assertIn(f"A matrix is left out: {name}", self.read("app.html"))

    def test_what_cannot_be_is_said(self):
        for arguments, status, message in (
                ([], 2, "a report of what? Name a graph"), (["app", "--site", "log"], 2, "excludes"),
                (["nowhere"], 2, "nowhere"), ([f"{CASES}/lmp64", "--json"], 2, "--json goes with --site only"),
                ([f"{CASES}/lmp64", "--topology", "torus.toml"], 1, "64 ranks need as many slots"),
                ([f"{CASES}/lmp64", "--mapping", "torus.toml", "--seed", "2"], 2, "excludes")):
            result = self.report(*arguments)
            self.assertEqual(result.returncode, status, result.stderr)
            self.assertIn(message, result.stderr)


@unittest.skipUnless(browser.PROGRAM, "needs chromium")
class InABrowser(ReportPage):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # a browser that ends may still write
        cls.browser = browser.Browser(cls.enterClassContext(folder))
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        super().setUp()
        self.browser.renew()

    def open(self, page, ground="light"):
        self.browser.open(page, ground)
        self.assertEqual(self.browser.complaints, [])
        self.assertEqual(self.browser.ask("document.getElementById('problem').textContent"), "")
        self.assertEqual(self.browser.ask("document.documentElement.dataset.drawn"), "yes")

    def canvases(self, name):
        return self.browser.ask(f"[...document.querySelectorAll('.cells canvas')].map((canvas) => canvas.dataset.{name})")

    def machines(self, name):
        return [int(count) for count in
                self.browser.ask(f"[...document.querySelectorAll('#turn canvas')].map((canvas) => canvas.dataset.{name})")]

    def colour_count(self, colour, canvas=0):
        """How many pixels of the machine's picture have exactly that colour."""
        return self.browser.ask(f"""(() => {{
          const canvas = document.querySelectorAll("#turn canvas")[{canvas}];
          const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
          const colour = [1, 3, 5].map((at) => parseInt("{colour}".substr(at, 2), 16));
          let count = 0;
          for (let i = 0; i < pixels.length; i += 4)
            if (pixels[i + 3] === 255 && colour.every((part, k) => pixels[i + k] === part)) ++count;
          return count;
        }})()""")

    def after_next_frame(self, act):
        frames = self.machines("frame")[0]
        act()
        self.browser.wait_for(f"document.querySelector('#turn canvas').dataset.frame > {frames} && !space.asked && !space.moving")

    def text(self, selector):
        return self.browser.ask(f"document.querySelector({json.dumps(selector)}).innerText")

    def test_everything_is_drawn(self):
        page = self.lammps()
        self.open(page)
        self.assertEqual(self.text("h1"), "lmp64")
        for name in ("Ranks", "Traffic", "Predicted gain", "Between nodes", "Hops per byte", "Busiest link", "Job aborts"):
            self.assertIn(name, self.text("#cards"))
        self.assertEqual(len(self.canvases("ink")), 2)
        for ink in self.canvases("ink"):
            self.assertGreater(int(ink), 10000)
        self.assertIn("% between nodes", self.text("figcaption"))
        self.assertEqual(self.browser.ask("document.querySelectorAll('.chart svg').length"), 5)
        self.assertGreater(self.browser.ask("document.querySelectorAll('.chart rect').length"), 10)
        self.assertIn("average hops per byte", self.text("#gain-table"))
        self.assertIn("Pairs that exchange most", self.text("#pairs"))
        for title in ("Links that carry most", "Nodes that may fail"):
            self.assertIn(title, self.text("#lists"))
        self.assertIn("n09: no rank; outage probability 0.3", self.browser.ask("document.querySelector('#picture').textContent"))
        self.assertEqual(self.machines("nodes"), [16, 16])
        self.assertEqual(self.machines("wires"), [36, 36])
        for panel in (0, 1):
            self.assertGreater(self.colour_count("#ffd84d", panel), 50)  # the triangle of n09
            self.assertGreater(self.colour_count("#2f5f94", panel), 500)  # nodes with ranks, in front
        self.assertIn("certain to fail", self.text("#loads"))
        self.assertIn("13 nodes in use", self.text("#turn"))

    def test_the_fullest_cell_has_the_strongest_colour_on_both_grounds(self):
        page = self.lammps()
        colours = self.data(page)["colours"]
        grounds = []
        for ground in ("light", "dark"):
            self.open(page, ground)
            self.assertEqual(self.canvases("fullest"), [colours[ground][-1]] * 2)
            grounds.append(self.browser.ask("getComputedStyle(document.body).backgroundColor"))
        self.assertNotEqual(*grounds)

    def test_a_heavy_pair_among_4096_ranks_is_seen(self):
        ring = {(rank, (rank + 1) % 4096): 1000 for rank in range(4096)}
        busy = {(rank, (rank * 131 + 17 * other) % 4096): 1000 for rank in range(4096) for other in range(16)}
        for name, entries in (("ring", ring | {(7, 3000): 1 << 30}), ("alone", {(7, 3000): 1 << 30}), ("busy", busy | {(7, 3000): 1 << 30})):
            write_graph(self.path(f"{name}.bytes.mtx"), 4096, entries)
            self.make(name)
            page = self.path(f"{name}.html")
            self.assertLess(os.path.getsize(page), 1_000_000)
            self.open(page)
            self.assertEqual(self.canvases("fullest"), [self.data(page)["colours"]["light"][-1]])
            # Pixels of the strongest colour: more than a cell, which is 2 by 2.
            strongest = self.browser.ask("""(() => {
              const canvas = document.querySelector(".cells canvas");
              const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
              const colour = data.colours.light.at(-1);
              let count = 0;
              for (let i = 0; i < pixels.length; i += 4)
                if ([0, 1, 2].every((k) => pixels[i + k] === parseInt(colour.substr(1 + 2 * k, 2), 16)) && pixels[i + 3]) ++count;
              return count;
            })()""")
            self.assertGreaterEqual(strongest, 64, name)

    def test_buttons_and_arrow_keys(self):
        write_graph(self.path("app.bytes.mtx"), 4, {(0, 1): 2048, (1, 2): 512})
        write_graph(self.path("app.messages.mtx"), 4, {(0, 1): 2, (1, 2): 7}, "messages")
        self.make("app")
        self.open(self.path("app.html"))
        for expected in ("bytes", "messages"):
            self.browser.press("Tab")
            self.assertEqual(self.browser.ask("document.activeElement.innerText"), expected)
        self.browser.press("Enter")
        self.assertEqual(self.browser.ask("document.activeElement.getAttribute('aria-pressed')"), "true")
        self.assertIn("messages sent", self.text("#legend"))
        self.assertIn("9 messages in total", self.text("#readout"))
        for expected in ("log", "linear"):
            self.browser.press("Tab")
            self.assertEqual(self.browser.ask("document.activeElement.innerText"), expected)
        self.browser.press("Enter")
        self.assertEqual(self.browser.ask("state.scale"), "linear")
        self.browser.press("Tab")
        self.assertEqual(self.text("#readout"), "rank 0 → rank 0: nothing")
        self.browser.press("ArrowRight")
        self.assertEqual(self.text("#readout"), "rank 0 → rank 1: 2 messages")
        self.browser.press("ArrowRight")
        self.browser.press("ArrowDown")
        self.assertEqual(self.text("#readout"), "rank 1 → rank 2: 7 messages")
        self.browser.press("ArrowRight", modifiers=8)
        self.assertEqual(self.text("#readout"), "rank 1 → rank 3: nothing")

    def test_a_phase_has_its_matrix_and_its_pairs(self):
        for part, entries in (("", {(0, 1): 2048, (1, 2): 512}), (".user", {(0, 1): 2048}), (".phase1", {(0, 1): 2000}),
                              (".phase3", {(2, 3): 300, (0, 1): 90, (1, 3): 10}), (".phase3.user", {(2, 3): 300})):
            write_graph(self.path(f"app{part}.bytes.mtx"), 4, entries)
        write_graph(self.path("app.phase3.messages.mtx"), 4, {(2, 3): 7}, "messages")
        self.make("app", "--title", "phases")
        self.open(self.path("app.html"))
        self.assertEqual(self.browser.ask("[...document.querySelectorAll('select option')].map((option) => option.text)"),
                         ["whole run", "1", "3"])
        ink = self.canvases("ink")
        self.browser.press("Tab")
        self.browser.press("Tab")
        self.browser.press("Tab")
        self.assertEqual(self.browser.ask("document.activeElement.tagName"), "SELECT")
        self.browser.press("ArrowDown")
        self.browser.press("ArrowDown")
        self.assertIn("400 B in total", self.text("#readout"))
        self.assertNotEqual(self.canvases("ink"), ink)
        self.assertIn("Pairs that exchange most: phase 3", self.text("#pairs"))
        self.assertIn("2 – 3", self.text("#pairs"))
        user = "document.querySelector('#controls button[value=user]')"
        self.browser.ask(f"{user}.click()")
        self.assertIn("300 B in total", self.text("#readout"))
        self.assertIn("Pairs that exchange most: user, phase 3", self.text("#pairs"))
        self.assertFalse(self.browser.ask(f"{user}.disabled"))
        self.browser.press("ArrowUp")  # which has no such class
        self.assertTrue(self.browser.ask(f"{user}.disabled"))
        self.assertEqual(self.browser.ask("document.querySelector('#controls button[aria-pressed=true]').innerText"), "all")
        self.assertIn("phase 1", self.text("#pairs"))
        self.browser.ask("document.querySelector('#controls button[value=all]').click()")
        self.browser.press("ArrowUp")
        self.assertIn("1 – 2", self.text("#pairs"))
        self.assertEqual(self.canvases("ink"), ink)
        self.assertEqual(self.browser.complaints, [])

    def bars(self, selector):
        """What the bars of a chart say when they are pointed at, but for those of nothing."""
        texts = self.browser.ask(f"[...document.querySelectorAll({json.dumps(selector + ' rect title')})].map((title) => title.textContent)")
        return [text for text in texts if ": 0 " not in text]

    def test_sizes_of_messages_of_all_and_of_a_cell(self):
        write_graph(self.path("app.bytes.mtx"), 4, {(0, 1): 2048, (1, 2): 512})
        self.write_sizes((1, 2, 0, 3), (1, 2, 1024, 2), (2, 3, 64, 1500), (4, 4, 2, 1))
        self.make("app")
        self.open(self.path("app.html"))
        every, cell = "#sizes .chart:nth-child(1)", "#sizes .chart:nth-child(2)"
        self.assertEqual(self.bars(every), ["0 B: 3 messages", "2 B: 1 messages", "64 B: 1500 messages", "1 KiB: 2 messages"])
        self.assertIn("rank 0 → rank 1\n5 messages", self.text(cell))  # where most bytes go
        self.assertEqual(self.bars(cell), ["0 B: 3 messages", "1 KiB: 2 messages"])
        self.browser.ask("document.querySelector('.cells').focus()")
        for key in ("ArrowRight", "ArrowDown", "ArrowRight"):
            self.browser.press(key)
        self.assertEqual(self.bars(cell), ["64 B: 1500 messages"])
        self.assertEqual(self.browser.ask("document.querySelector('.mark').style.left"), "62.5%")
        self.browser.press("ArrowRight")
        self.assertIn("rank 1 → rank 3\n0 messages\n\nno message", self.text(cell))
        self.browser.ask("document.querySelector('.cells').scrollIntoView()")
        x, y, side = self.browser.ask("(({x, y, width}) => [x, y, width])(document.querySelector('.cells').getBoundingClientRect())")
        self.browser.point(x + 0.9 * side, y + 0.9 * side)
        self.assertIn("rank 1 → rank 3", self.text(cell))  # pointing chooses nothing
        self.browser.drag((x + 0.9 * side, y + 0.9 * side), (x + 0.9 * side, y + 0.9 * side))
        self.assertIn("rank 3 → rank 3\n1 message", self.text(cell))
        self.assertEqual(self.browser.complaints, [])

    def test_ranks_one_by_one(self):
        write_graph(self.path("app.bytes.mtx"), 64, {(rank, (rank + 1) % 64): 100 + rank for rank in range(64)})
        hosts = [f"node{rank // 4}" for rank in range(64)]
        with open(self.path("app.ranks.json"), "w", encoding="utf-8") as file:
            json.dump({"command": "./app <b>", "date": "2026-11-22T21:42:33Z", "mapping": hosts, "run_seconds": [100] * 64,
                       "mpi_seconds": [(7 * rank) % 64 for rank in range(64)], "mpi_calls": [1000 + rank for rank in range(64)]}, file)
        self.write("app.other-jobs.txt", "%rank job peer class messages bytes\n5 4711 0 user 1 2048\n")
        self.make("app")
        self.open(self.path("app.html"))
        self.assertEqual(self.text("#run"), "./app <b>, 2026-11-22T21:42:33Z, on 16 hosts")
        for card in ("Run time\n100 s", "In MPI\n31.5 %\n0 % (rank 0) to 63 % (rank 9)", "To other jobs\n2 KiB"):
            self.assertIn(card, self.text("#cards"))
        self.assertIn("4711\tsent to it\t2 KiB\t1\t1\t1", self.text("#lists"))
        first = "[...document.querySelectorAll('#rank-rows tbody tr:first-child > *')].map((cell) => cell.innerText)"
        count = "document.querySelectorAll('#rank-rows tbody tr').length"
        self.assertEqual(self.browser.ask(first)[:4], ["0", "node0", "node0", "2"])
        self.assertEqual(self.browser.ask(count), 20)
        in_mpi = "[...document.querySelectorAll('#ranks th button')].find((button) => button.innerText === 'in MPI')"
        self.browser.ask(f"{in_mpi}.focus()")
        self.browser.press("Enter")
        self.assertEqual(self.browser.ask(first)[0], "9")  # 63 s
        self.assertEqual(self.browser.ask("document.activeElement.parentElement.getAttribute('aria-sort')"), "descending")
        self.browser.press("Enter")
        self.assertEqual(self.browser.ask(first)[0], "0")
        for _ in range(3):
            self.browser.ask("document.getElementById('rank-on').click()")
        self.assertEqual((self.text("#rank-part"), self.browser.ask(count)), ("61 to 64 of 64", 4))
        self.assertTrue(self.browser.ask("document.getElementById('rank-on').disabled"))
        self.browser.ask("document.querySelector('#rank-controls input').focus()")
        self.browser.call("Input.insertText", text="9")
        self.assertEqual(self.browser.ask("document.querySelector('tr.found').innerText.split('\\t')[0]"), "9")
        self.browser.call("Input.insertText", text="9")  # there is no rank 99
        self.assertIsNone(self.browser.ask("document.querySelector('tr.found')"))
        self.assertEqual(self.browser.complaints, [])

    def test_the_machine_turns_by_keys_and_mouse(self):
        self.open(self.lammps())
        self.browser.ask("document.getElementById('turn').focus()")
        where = "JSON.stringify([space.view, space.at.points[5]])"
        seen = {self.browser.ask(where)}
        for key in ("ArrowLeft", "ArrowUp", "+", "-", "Home"):
            self.after_next_frame(lambda pressed=key: self.browser.press(pressed))
            seen.add(self.browser.ask(where))
        self.assertEqual(len(seen), 4)  # minus undoes plus, and Home all of it
        self.browser.ask("document.getElementById('turn').scrollIntoView()")
        box = self.browser.ask("(({x, y, width, height}) => [x, y, width, height])(document.querySelector('#turn canvas').getBoundingClientRect())")
        middle = (box[0] + box[2] / 2, box[1] + box[3] / 2)
        front = "[space.at.points[0].x, space.view.pitch]"  # n00 is in front, and what is dragged down is seen from above
        left, low = self.browser.ask(front)
        self.after_next_frame(lambda: self.browser.drag(middle, (middle[0] + 30, middle[1] + 20)))
        right, high = self.browser.ask(front)
        self.assertGreater(right, left)
        self.assertGreater(high, low)
        self.browser.press("PageDown")
        self.assertEqual(self.text("#node"), "n00 [0,0,0]: " + self.text("#node").split(": ", 1)[1])
        self.assertRegex(self.text("#node"), "before ranks 0-4, busiest link [0-9.]+ KiB; after ranks? [0-9,-]+, busiest link")
        self.browser.press("PageDown")
        self.browser.press("PageDown")
        self.assertRegex(self.text("#node"), "^n02 .*after no rank, .*; certain to fail$")
        self.after_next_frame(lambda: self.browser.press("Home"))
        x, y = self.browser.ask("""(() => {
          const box = document.querySelector("#turn canvas").getBoundingClientRect();
          return [box.x + space.at.points[0].x, box.y + space.at.points[0].y];
        })()""")
        self.browser.point(x, y)
        self.assertRegex(self.text("#node"), "^n00 ")
        self.browser.point(box[0] + 3, box[1] + 3)
        self.assertRegex(self.text("#node"), "^n02 ")  # the one that was chosen
        self.after_next_frame(lambda: self.browser.ask("document.querySelector('#machine-controls fieldset:last-child button').click()"))
        before, after = self.machines("wires")
        self.assertLess(after, 36)
        self.assertGreater(before, 8)
        self.assertEqual(self.browser.complaints, [])

    def test_on_paper_the_ground_is_light(self):
        page = self.lammps()
        strongest = self.data(page)["colours"]["light"][-1]
        self.open(page, "dark")
        self.assertNotEqual(self.canvases("fullest"), [strongest] * 2)
        self.browser.ask("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.canvases("fullest"), [strongest] * 2)
        self.assertGreater(self.colour_count("#2f5f94"), 500)
        self.browser.ask("dispatchEvent(new Event('afterprint'))")
        self.assertNotEqual(self.canvases("fullest"), [strongest] * 2)
        self.assertEqual(self.colour_count("#2f5f94"), 0)

    def test_a_machine_without_a_picture_is_said_to_be_one(self):
        self.write("graph.toml", '[topology]\nkind = "graph"\nnodes = "n[0-3]"\n[[link]]\nends = ["n0", "n[1-3]"]\n')
        write_graph(self.path("app.bytes.mtx"), 4, {(0, 1): 2048, (1, 2): 512})
        self.make("app", "--topology", "graph.toml")
        self.open(self.path("app.html"))
        self.assertIn("there is no picture of a graph in space", self.text("#turn"))
        self.assertIn("there is no picture of a graph yet", self.text("#picture"))
        self.assertIn("Links that carry most", self.text("#lists"))
        self.assertEqual(self.machines("nodes"), [])

    def test_machines_of_4096_nodes(self):
        write_graph(self.path("ring.bytes.mtx"), 4096, {(rank, (rank + 1) % 4096): 1000 for rank in range(4096)})
        self.write("shuffled", "".join(f"n{rank * 1361 % 4096:04}\n" for rank in range(4096)))
        self.write("straight", "".join(f"n{rank:04}\n" for rank in range(4096)))
        for lines, nodes, wires in (('kind = "torus"\nshape = [16, 16, 16]', 4096, 3 * 16 * 16 * 17),
                                    ('kind = "torus"\nshape = [8, 8, 8, 8]', 4096, 7 * 3 * 512 + 8 * 8 * 8 * 2 * 3 + 2 * 4096),
                                    ('kind = "fat-tree"\ndown = [16, 16, 16]\nup = [1, 4, 4]', 4096 + 256 + 64 + 16, 4096 + 1024 + 256),
                                    ('kind = "dragonfly"\ngroups = 32\nrouters = 16\nnodes_per_router = 8', 4096 + 512, None)):
            self.write("machine.toml", f'[topology]\n{lines}\nnodes = "n[0000-4095]"\n')
            self.make("ring", "--topology", "machine.toml", "--before", "shuffled", "--mapping", "straight", "-o", "large.html")
            self.assertLess(os.path.getsize(self.path("large.html")), 2_000_000)
            self.open(self.path("large.html"))
            self.assertEqual(self.machines("nodes"), [nodes] * 2, lines)
            if wires:
                self.assertEqual(self.machines("wires"), [wires] * 2, lines)
            self.browser.ask("document.getElementById('turn').focus()")
            for _ in range(5):
                self.browser.press("ArrowLeft")
            self.after_next_frame(lambda: self.browser.press("ArrowUp"))
            self.assertEqual(self.browser.complaints, [])

    def test_a_mistake_in_the_page_is_text_on_it(self):
        page = self.lammps()
        self.write(page, self.read(page).replace('"charts":', '"charms":', 1))
        self.browser.open(page)
        self.assertRegex(self.text("#problem"), "^Something on this page could not be drawn: .*undefined")
        self.assertNotEqual(self.browser.complaints, [])

    def test_nothing_but_its_own_script_runs_and_nothing_is_loaded(self):
        title = '</script><script>stranger = 1</script><img src=x onerror="stranger = 2">'
        self.make(f"{CASES}/lmp64", "--title", title, "-o", "app.html")
        self.open(self.path("app.html"))
        self.assertEqual(self.text("h1"), title)
        loaded = self.browser.ask("performance.getEntriesByType('resource').map((entry) => entry.name)")
        self.assertEqual([name for name in loaded if not name.startswith("data:")], [])
        self.browser.ask("""(() => {
          const script = document.createElement("script");
          script.textContent = "stranger = 3";
          document.body.append(script);
        })()""")
        self.assertEqual(self.browser.ask("typeof stranger"), "undefined")
        self.assertTrue(any("Content Security Policy" in complaint for complaint in self.browser.complaints))


if __name__ == "__main__":
    unittest.main(verbosity=2)

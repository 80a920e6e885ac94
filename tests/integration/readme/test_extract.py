#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What takes README apart: that it notices what it does not understand, and output of another form."""
import os
import tempfile
import unittest

import extract


class Extract(unittest.TestCase):
    def blocks(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".md", delete=False) as file:
            file.write(text)
        self.addCleanup(os.unlink, file.name)
        return extract.blocks(file.name)

    def test_blocks_come_in_order_with_their_comments(self):
        first, second, third = self.blocks(
            "a\n```sh\none\n```\n<!-- test: in salloc -N 4 -->\n```sh\ntwo\nmore\n```\n"
            "<!-- test: printed by two -->\n```text\nout\n```\n")
        self.assertEqual((first.text, first.how), ("one\n", None))
        self.assertEqual((second.text, second.how), ("two\nmore\n", ("in ", "salloc -N 4")))
        self.assertEqual((third.language, third.how), ("text", ("printed by ", "two")))

    def test_whatever_is_not_understood_is_an_error(self):
        for text in ("```\nls\n```\n", "```bash\nls\n```\n", "```sh\nls\n", "```text\nout\n```\n",
                     "<!-- test: maybe -->\n```sh\nls\n```\n", "<!-- test: skip, no -->\nwords\n```sh\nls\n```\n"):
            with self.subTest(text), self.assertRaises(SystemExit):
                self.blocks(text)

    def test_numbers_nodes_and_mappers_may_differ(self):
        self.assertIsNone(extract.compare(
            "tofa: 12 ranks on 12 of 16 nodes, mapper auto (from scotch), 0.161 s\nnodes   fk[00,03-08]\nload 3.1 MiB\n",
            "x\ntofa: 8 ranks on 4 of 8 nodes, mapper auto (from tree-fold), 2 s\nnodes fk[02]\nload 640 KiB\ny\n"))
        self.assertIsNone(extract.compare("a fk02\n...\nb 1\n", "a fk9\nc\nd\nb inf\n"))

    def test_other_words_other_order_and_lines_between_are_noticed(self):
        self.assertEqual(extract.compare("cost 3\n", "costs 3\n"), "cost 3")
        self.assertEqual(extract.compare("b 1\na 2\n", "a 1\nb 2\n"), "a 2")
        self.assertEqual(extract.compare("a 1\nb 2\n", "a 1\nnew 5\nb 2\n"), "b 2")


if __name__ == "__main__":
    unittest.main(verbosity=2)

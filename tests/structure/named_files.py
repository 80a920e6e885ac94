#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every file and folder that the READMEs, the pages beside them and those in docs/ name in backticks exists.

A name is one with a slash or a usual ending. It is looked for from the top of the source tree, among the public headers,
and below the folder of the page that names it. Prints what does not exist, as PAGE:LINE, and fails then.
"""
import pathlib
import re
import sys

ENDINGS = r"\.(cpp|hpp|c|h|md|py|sh|bats|toml|txt|[1-8])$"
# Files of other people, of users, and what measurements leave.
ELSEWHERE = {"topology.conf", "plugstack.conf", "network/crosstraffic", "healthd.toml", "monitor_cost.md", "quality.md", "race.md", "scaling.md", "large.md", "limits.md", "drawn.md", "drawn-completion-time.md",
             "simulation.md", "batch.md", "NAME.sizes.txt"}


def is_path(word):
    if word in ELSEWHERE or re.search(r"[\s*{}=<>$:~]", word) or word.startswith(("/", "-", "./", "NAME.")):
        return False
    return "/" in word or re.search(ENDINGS, word) is not None


def exists(root, page, word):
    if any((folder / word).exists() for folder in (root, root / "libtofacore/include", page.parent)):
        return True
    return "/" not in word and any(page.parent.rglob(word))


def missing(root, page):
    for number, line in enumerate(page.read_text().splitlines(), 1):
        for word in re.findall(r"`([^`]+)`", line):
            if is_path(word) and not exists(root, page, word):
                yield f"{page.relative_to(root)}:{number}: {word} does not exist"


def pages_of(root):
    yield root / "README.md"
    yield from sorted(root.glob("docs/*.md"))
    for page in sorted(root.glob("*/**/README.md")):
        if not page.relative_to(root).parts[0].startswith("build"):
            yield from sorted(page.parent.glob("*.md"))


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    faults = [fault for page in pages_of(root) for fault in missing(root, page)]
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""attacks.py SOURCES: every test of the health service that docs/attacks.md names is one of ./dev chaos's, as that page says."""
import pathlib
import re
import sys


def main():
    root = pathlib.Path(sys.argv[1])
    named = set(re.findall(r"`health_(\w+)`", (root / "docs/attacks.md").read_text(encoding="utf-8")))
    made = set()
    for line in (root / "tests/chaos/chaos.sh").read_text(encoding="utf-8").splitlines():
        words = re.sub(r'"[^"]*"', " ", line).split()  # attack NAME COMMAND...
        if words[:1] == ["attack"]:
            made.update(words[2:])
    missing = sorted(named - made)
    if not named or missing:
        print(f"docs/attacks.md names tests that tests/chaos/chaos.sh does not run: {missing or 'none is named'}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

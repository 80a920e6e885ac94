#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Takes the commands out of README.md, in order, and compares what they printed with what README.md shows.

    extract.py blocks README.md FOLDER    FOLDER/NN.sh and, where the block above has a comment, FOLDER/NN.how
    extract.py shown README.md            the blocks of output, each as `WORDS<tab>line number`
    extract.py compare README.md LINE FILE   whether FILE contains the output shown at that line, in form

Blocks of commands are fenced with ```sh and run as they stand. A comment right above one says how, if not simply so:
    <!-- test: skip, WHY -->      not run
    <!-- test: in COMMAND -->     run by COMMAND, such as salloc with options
Blocks of output are fenced with ```text below <!-- test: printed by WORDS -->: by the last block of commands that has
WORDS in it. Output has the form that is shown when the same lines come in the same order, numbers, units, folders, node
lists and the names of mappers aside; a line `...` stands for any lines."""
import re
import sys

MARKER = re.compile(r"<!-- test: (skip, |in |printed by )(.+) -->$")


class Block:
    def __init__(self, line, language, how):
        self.line = line
        self.language = language
        self.how = how
        self.text = ""


def blocks(path):
    """All fenced blocks; whatever this program cannot make sense of is an error."""
    result, current, how = [], None, None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if line.startswith("```"):
                if current is not None:
                    result.append(current)
                    current = None
                    continue
                if line not in ("```sh", "```text"):
                    sys.exit(f"{path}:{number}: a block is ```sh or ```text, not {line}")
                current, how = Block(number, line[3:], how), None
                if current.language == "text" and not (current.how or ("",))[0].startswith("printed"):
                    sys.exit(f"{path}:{number}: output needs a comment above: <!-- test: printed by WORDS -->")
            elif current is not None:
                current.text += line + "\n"
            elif "<!-- test" in line:
                marker = MARKER.match(line)
                if not marker:
                    sys.exit(f"{path}:{number}: no such comment: {line}")
                how = marker.groups()
            elif how is not None:
                sys.exit(f"{path}:{number}: a comment for tests must stand right above a block")
    if current is not None or how is not None:
        sys.exit(f"{path}: ends in the middle of a block")
    return result


def form(line):
    """The line without what differs from run to run."""
    line = re.sub(r"\x1b\[[0-9;]*m", "", line)
    line = re.sub(r"[^\s(]*/(?=[^\s/])", "", line)
    line = re.sub(r"\(from [a-z-]+\)", "(from X)", line)
    line = re.sub(r"[a-z]+\[[0-9,-]+\]", "NODES", line)
    line = re.sub(r"\binf\b|(?<![a-z0-9])[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?", "N", line)
    line = re.sub(r"(?<=[a-z])[0-9]+\b", "N", line)
    line = re.sub(r"N [KMGT]?i?B\b", "N B", line)
    return re.sub(r"\s+", " ", line).strip()


def compare(shown, printed):
    """The first line shown that was not printed, or None."""
    actual = [form(line) for line in printed.splitlines()]
    at = 0
    anywhere = True  # where the output shown begins, and after dots
    for line in shown.splitlines():
        wanted = form(line)
        if wanted == "...":
            anywhere = True
            continue
        found = [i for i in range(at, len(actual)) if actual[i] == wanted]
        if not found or (not anywhere and found[0] != at):
            return line
        at = found[0] + 1
        anywhere = False
    return None


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "blocks":
        for i, block in enumerate(b for b in blocks(sys.argv[2]) if b.language == "sh"):
            with open(f"{sys.argv[3]}/{i:02}.sh", "w", encoding="utf-8") as file:
                file.write(block.text)
            if block.how:
                with open(f"{sys.argv[3]}/{i:02}.how", "w", encoding="utf-8") as file:
                    file.write("".join(block.how) + "\n")
    elif len(sys.argv) == 3 and sys.argv[1] == "shown":
        for block in blocks(sys.argv[2]):
            if block.language == "text":
                print(f"{block.how[1]}\t{block.line}")
    elif len(sys.argv) == 5 and sys.argv[1] == "compare":
        shown = next(b.text for b in blocks(sys.argv[2]) if b.line == int(sys.argv[3]))
        with open(sys.argv[4], encoding="utf-8") as file:
            missing = compare(shown, file.read())
        if missing is not None:
            sys.exit(f"{sys.argv[2]}:{sys.argv[3]}: not printed there, or not in this form:\n  {missing}")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks who includes whom in libtofacore: arrows between folders only point down, the rooms of mapping/ keep to
themselves, and no circle of files includes itself. A .hpp and its .cpp are one file; a public header is one of its own,
since it is what a folder promises, whichever of its files keep the promise.

usage: includes.py LIBTOFACORE          prints each arrow that must not be; ends with 1 when there is one
       includes.py --draw LIBTOFACORE   prints the arrows between the files and rooms of mapping/
"""
import pathlib
import re
import sys

# Folders and what each may include besides itself. A room of mapping/ goes before the folder.
BELOW_MAPPING = {"base", "graph", "topology", "outage", "metrics"}
MAY_INCLUDE = {
    "base": set(),
    "graph": {"base"},
    "topology": {"base"},
    "outage": {"base", "topology"},
    "link_load": {"base", "topology"},
    "metrics": {"base", "graph", "topology", "outage"},
    "metrics/table": {"base", "graph", "topology", "outage", "metrics"},
    "mapping/tools": {"base", "graph"},
    "mapping/seats": BELOW_MAPPING | {"mapping"},
    "mapping/mappers": BELOW_MAPPING | {"mapping", "mapping/seats", "mapping/tools"},
    "mapping/search": BELOW_MAPPING | {"mapping", "mapping/seats", "mapping/tools"},
    "mapping/objectives": BELOW_MAPPING | {"mapping"},
    "mapping": BELOW_MAPPING | {"mapping/seats", "mapping/tools", "mapping/search"},
    "machine": BELOW_MAPPING | {"mapping", "mapping/tools"},
    "parallel": BELOW_MAPPING | {"mapping", "mapping/seats", "mapping/tools", "mapping/search"},
    "inputs": BELOW_MAPPING | {"link_load", "mapping", "machine"},
    "cache": BELOW_MAPPING | {"mapping"},
    "report": BELOW_MAPPING | {"mapping"},
    "replay": BELOW_MAPPING | {"mapping", "mapping/tools"},
    "replay/policies": BELOW_MAPPING | {"mapping", "replay"},
}
# Public headers that are named neither like a source nor like a folder.
FOLDER_OF_HEADER = {"types": "base", "error": "base", "file_descriptor": "base", "graph_io": "graph",
                    "guest_grid": "mapping/tools"}


def folder_of_header(name, root):
    sources = list((root / "src").glob(f"*/{name}.cpp"))
    if len(sources) == 1:
        return sources[0].parent.name
    if (root / "src" / name).is_dir():
        return name
    if name in FOLDER_OF_HEADER:
        return FOLDER_OF_HEADER[name]
    sys.exit(f"{sys.argv[0]}: which folder makes tofa/{name}.hpp? Add it to FOLDER_OF_HEADER")


def read_arrows(root):
    """Which file includes which: names like mapping/search/auto, or tofa/place for a public header."""
    arrows = {}
    for path in sorted([*root.glob("src/**/*.?pp"), *root.glob("include/tofa/*.hpp")]):
        base = root / ("src" if path.is_relative_to(root / "src") else "include")
        name = str(path.relative_to(base).with_suffix(""))
        included = re.findall(r'^#include "(.+)\.hpp"', path.read_text(encoding="utf-8"), re.MULTILINE)
        arrows.setdefault(name, set()).update(set(included) - {name})
    return arrows


def folder_of(file, root):
    folder, _, name = file.rpartition("/")
    return folder_of_header(name, root) if folder == "tofa" else folder


def wrong_arrows(arrows, root):
    for file, included in arrows.items():
        folder = folder_of(file, root)
        if folder not in MAY_INCLUDE:
            yield f"{file}: no layer is known for folder {folder}/; add it to MAY_INCLUDE"
            continue
        for other in sorted(included):
            below = folder_of(other, root)
            if below != folder and below not in MAY_INCLUDE[folder]:
                yield f"{file} includes {other}, but {folder}/ must not know {below}/"


def find_circle(arrows):
    """The files of a circle, the first one again at its end; nothing when there is none."""
    state = {}
    trail = []

    def visit(file):
        state[file] = "open"
        trail.append(file)
        for other in sorted(arrows.get(file, ())):
            if state.get(other) == "open":
                return trail[trail.index(other):] + [other]
            if other not in state and (circle := visit(other)):
                return circle
        state[file] = "done"
        trail.pop()
        return None

    for file in sorted(arrows):
        if file not in state and (circle := visit(file)):
            return circle
    return None


def draw(arrows):
    def box(file):
        parts = file.split("/")
        return parts[1] + ("/" if len(parts) > 2 else "")

    files = {(a, b) for a, others in arrows.items() for b in others
             if a.startswith("mapping/") and b.startswith("mapping/")}
    boxes = {(box(a), box(b)) for a, b in files if box(a) != box(b)}
    for a, b in sorted(boxes):
        print(f"{a} -> {b}")
    print(f"{len(boxes)} arrows between files and rooms, {len(files)} between files")


def main():
    arguments = sys.argv[1:]
    drawing = arguments[:1] == ["--draw"]
    if len(arguments) != 1 + drawing:
        sys.exit(__doc__.strip().rpartition("\n\n")[2])
    root = pathlib.Path(arguments[-1])
    arrows = read_arrows(root)
    if drawing:
        draw(arrows)
        return
    mistakes = list(wrong_arrows(arrows, root))
    circle = find_circle(arrows)
    if circle:
        mistakes.append("a circle: " + " -> ".join(circle))
    for mistake in mistakes:
        print(mistake)
    sys.exit(1 if mistakes else 0)


main()

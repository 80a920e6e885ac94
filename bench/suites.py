# SPDX-License-Identifier: BSD-3-Clause
"""Which traffic on which machines: families of families.py on trees, on tori, and on nodes that many ranks share."""
import pathlib
import random

import families

# Machine, slots of a node, families; ranks fill all slots. "60 %" behind a machine: a job on nodes that other jobs left.
TREE_TRAFFIC = ("9-point", "27-point", "torus2", "torus3", "knn2", "mesh2", "mesh3", "geometric", "amr", "power-law", "hpl", "pencils")
TREES = (
    ("4:8:6/1:10:100", 1, TREE_TRAFFIC),
    ("4:8:16/1:10:100", 1, TREE_TRAFFIC),
    ("4:8:6/1:10:100", 4, ("9-point", "knn2", "mesh3", "power-law", "pencils")),
    ("fat4x8x6", 1, ("9-point", "mesh3", "power-law", "geometric")),
    ("fat16x32", 1, ("27-point", "mesh3", "power-law", "geometric")),
    ("fat16x8", 8, ("27-point", "mesh3", "power-law")),
)

IRREGULAR = ("mesh2", "mesh3", "knn2", "geometric", "amr", "power-law", "heavy", "heavy-knn", "random")
REGULAR = ("9-point", "27-point", "torus3", "stencil4", "hpl", "pencils", "butterfly", "blocks")
TORI = (
    ("torus8x8x8", 1, REGULAR + IRREGULAR),
    ("torus4x8x16", 1, REGULAR + IRREGULAR),
    ("torus6x6x14", 1, ("9-point", "27-point", "hpl") + IRREGULAR),
    ("torus16x32", 1, ("27-point", "butterfly") + IRREGULAR),
    ("torus4x4x4x4x2", 1, ("9-point", "27-point", "hpl") + IRREGULAR),
    ("torus4x4x4", 16, ("27-point", "hpl", "pencils") + IRREGULAR),
    ("torus4x4x4", 64, ("27-point", "mesh3", "geometric", "power-law")),
    ("torus16x8x8 60 %", 1, ("9-point", "27-point", "hpl", "butterfly") + IRREGULAR),
)

SLOTS = (
    ("torus4x4x4", 8, ("9-point", "mesh3", "power-law", "random", "blocks")),
    ("torus4x4x4", 16, ("mesh2", "knn2", "amr", "27-point", "pencils", "power-law", "random")),
    ("torus4x4x4", 48, ("27-point", "geometric", "amr", "torus2")),
    ("torus4x4x4", 64, ("mesh3", "hpl", "power-law", "blocks", "torus3", "butterfly")),
    ("torus4x4x4", 128, ("geometric", "27-point", "9-point")),
    ("torus8x8x8", 4, ("27-point", "mesh2", "power-law", "hpl")),
    ("torus8x8x8", 16, ("geometric", "9-point", "torus3", "random")),
    ("torus6x6x14", 8, ("mesh3", "27-point", "amr")),
    ("torus16x32", 8, ("mesh2", "torus3", "power-law")),
    ("dragonfly9x4x2", 16, ("mesh3", "9-point", "power-law", "knn2", "hpl")),
    ("dragonfly9x4x2", 64, ("geometric", "27-point", "torus2")),
    ("fat16x8", 32, ("mesh3", "9-point", "geometric", "hpl")),
    ("4:8:6/1:10:100", 16, ("mesh3", "27-point", "power-law")),
)

MORE = (
    ("torus5x7x15", 1, ("27-point", "hpl", "mesh3", "geometric", "amr", "power-law")),
    ("torus4x4x4x2x2x2", 1, ("27-point", "hpl", "mesh3", "amr", "power-law")),
    ("dragonfly16x8x4", 1, ("9-point", "butterfly", "mesh3", "amr", "power-law")),
    ("torus8x8x16", 1, ("butterfly", "mesh2", "geometric", "amr", "power-law")),
    ("torus16x16x16", 1, ("27-point", "mesh2", "mesh3", "knn2", "geometric", "amr", "power-law", "random")),
    ("torus16x16x32", 1, ("9-point", "hpl", "mesh3", "geometric")),
    # Few pairs that carry nearly all traffic, and regular traffic on scattered nodes, which many ranks share.
    ("torus5x7x15", 8, ("heavy-knn", "knn2", "pencils")),
    ("torus16x32", 16, ("heavy", "heavy-knn")),
    ("torus16x32", 4, ("heavy-knn",)),
    ("torus4x4x4x2x2x2", 8, ("heavy", "heavy-knn")),
    ("torus4x4x4x4x2", 16, ("heavy-knn", "pencils")),
    ("torus4x4x4", 128, ("heavy",)),
    ("torus8x8x8", 8, ("heavy-knn", "amr")),
    ("torus16x8x8 60 %", 8, ("9-point", "27-point", "stencil4")),
    ("torus16x8x8 60 %", 16, ("27-point", "torus3", "knn2", "geometric")),
    ("torus6x6x14", 16, ("butterfly", "hpl", "pencils")),
    ("torus5x7x15", 4, ("butterfly",)),
    ("torus5x7x15", 8, ("hpl", "butterfly")),
    ("torus16x8x8 60 %", 8, ("amr", "knn2")),
    ("torus10x10", 24, ("knn2", "amr")),
    ("dragonfly9x4x2", 2, ("hpl", "mesh3", "random")),
    # Trees of three levels with nodes that many ranks share, and of many nodes.
    ("fat8x8x4", 8, ("9-point", "geometric", "amr")),
    ("fat8x8x4", 16, ("knn2", "geometric", "power-law")),
    ("fat16x16x4", 4, ("27-point", "mesh3", "amr")),
    ("fat16x8x4", 16, ("mesh3", "knn2")),
    ("4:16:64/1:10:100", 1, ("geometric", "amr")),
    # What programs do beside exchanging with neighbours, and several of them in one job.
    ("torus8x8x8", 1, ("sweep", "collectives", "ensemble", "coupled")),
    ("torus16x16x16", 1, ("sweep", "collectives", "ensemble", "coupled")),
    ("torus4x8x16", 1, ("far", "far-mesh", "servers")),
    ("torus16x16x16", 1, ("far-mesh", "far-particles")),
    ("torus16x8x8 60 %", 1, ("far-mesh",)),
    ("torus8x8x8", 16, ("far-particles",)),
    ("torus8x16x32", 1, ("far", "servers")),
    ("torus4x4x4", 16, ("far", "servers")),
    ("torus4x4x4", 48, ("collectives", "ensemble")),
    ("torus8x8x8", 8, ("collectives", "coupled")),
    ("torus16x8x8 60 %", 1, ("collectives", "ensemble")),
    ("4:8:16/1:10:100", 1, ("collectives", "ensemble")),
    ("dragonfly16x8x4", 1, ("collectives", "coupled")),
)


def free_nodes(nodes, share):
    """The first of so many percent of the nodes, as many as are a power of two: traffic exists for such numbers of ranks."""
    free = sorted(random.Random(1).sample(range(nodes), nodes * share // 100))
    return free[: 1 << (len(free).bit_length() - 1)]


class Case:
    """One kind of traffic on one machine, as files in a folder: traffic that is there already is taken as it is."""

    def __init__(self, family, machine, slots, folder):
        name, _, share = machine.partition(" ")
        self.topology, nodes, self.unit = families.write_machine(name, folder)
        self.hosts = []
        if share:
            free = free_nodes(nodes, int(share.rstrip(" %")))
            nodes = len(free)
            self.hosts = [f"n[{','.join(map(str, free))}]"]
        self.key = (family, machine, slots)
        self.slots = slots
        self.ranks = nodes * slots
        self.title = title(*self.key)
        self.graph = families.traffic_path(f"{family}:{self.ranks}", folder)
        if not self.graph.exists():
            families.write_traffic(f"{family}:{self.ranks}", folder)


def title(family, machine, slots):
    return f"| {family} | {machine}{f' x {slots}' if slots > 1 else ''} |"


def cases(suite, folder, only=""):
    """The cases of a suite, one after the other, whose title holds a text."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for machine, slots, names in suite:
        for family in names:
            if only in title(family, machine, slots):
                yield Case(family, machine, slots, folder)

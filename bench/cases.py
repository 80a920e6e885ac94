#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Traffic and machines to measure on, made from fixed seeds, as the files that tofa reads.

    cases.py --list                names of the cases
    cases.py CASE FOLDER           writes FOLDER/CASE.bytes.mtx and FOLDER/CASE.toml
    cases.py FAMILY:RANKS FOLDER   the same at any size: grid, shuffled or geometric

A case is a list of pairs (rank, rank, bytes), a torus, and how many ranks a node takes.
"""
import itertools
import math
import pathlib
import random
import shutil
import sys

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "cases"
TORUS = (8, 8, 8)


def stencil(shape, periodic, weights=None):
    """Neighbours in a process grid in MPI order: the last dimension varies fastest."""
    strides = [math.prod(shape[d + 1:]) for d in range(len(shape))]
    pairs = []
    for rank, at in enumerate(itertools.product(*map(range, shape))):
        for d, extent in enumerate(shape):
            if at[d] + 1 < extent:
                pairs.append((rank, rank + strides[d], weights[d] if weights else 1))
            elif periodic and extent > 2:
                pairs.append((rank, rank - (extent - 1) * strides[d], weights[d] if weights else 1))
    return pairs


def tree(ranks, bytes_):
    """A binomial tree rooted at rank 0, as small reductions and broadcasts use it."""
    return [(rank & (rank - 1), rank, bytes_) for rank in range(1, ranks)]


def shuffled(pairs, ranks, seed):
    """The same traffic between ranks in random order."""
    names = list(range(ranks))
    random.Random(seed).shuffle(names)
    return [(names[a], names[b], weight) for a, b, weight in pairs]


def cg(ranks):
    """NPB CG: sums within rows of the process grid, then an exchange with the transposed process."""
    columns = 1 << ((ranks.bit_length()) // 2)
    rows = ranks // columns
    pairs = []
    for rank in range(ranks):
        row, column = divmod(rank, columns)
        for bit in range(columns.bit_length() - 1):
            other = row * columns + (column ^ (1 << bit))
            if rank < other:
                pairs.append((rank, other, 300032))
        if rows == columns:
            other = column * columns + row
        else:
            half = rank // 2
            other = 2 * ((half % rows) * rows + half // rows) + rank % 2
        if rank < other:
            pairs.append((rank, other, 300000))
    return pairs


def lammps(shape):
    """Halo exchange of a domain decomposition, with small reductions."""
    ranks = math.prod(shape)
    return stencil(shape, True, [40000, 30000, 20000]) + tree(ranks, 16)


def geometric(ranks, seed, partners=16):
    """Points in a periodic unit cube; those close to each other exchange up to 50 units."""
    source = random.Random(seed)
    points = [(source.random(), source.random(), source.random()) for _ in range(ranks)]
    radius = (partners / ranks / (4 / 3 * math.pi)) ** (1 / 3)
    side = max(1, int(1 / radius))
    cells = {}
    for rank, point in enumerate(points):
        cells.setdefault(tuple(int(x * side) for x in point), []).append(rank)
    pairs = []
    for cell, members in cells.items():
        around = {tuple((c + s) % side for c, s in zip(cell, step)) for step in itertools.product((-1, 0, 1), repeat=3)}
        nearby = [other for near in around for other in cells.get(near, ())]
        for rank in members:
            x, y, z = points[rank]
            for other in nearby:
                if other <= rank:
                    continue
                u, v, w = points[other]
                dx, dy, dz = abs(x - u), abs(y - v), abs(z - w)
                dx, dy, dz = min(dx, 1 - dx), min(dy, 1 - dy), min(dz, 1 - dz)
                if dx * dx + dy * dy + dz * dz < radius * radius:
                    pairs.append((rank, other, source.randint(1, 50)))
    return pairs


class Case:
    def __init__(self, about, ranks, pairs=None, torus=TORUS, slots=1, best=None, fixture=None):
        self.about = about
        self.ranks = ranks
        self.pairs = pairs  # a function, since only what is measured should be made
        self.torus = torus
        self.slots = slots
        self.best = best  # fewest hops per byte known
        self.fixture = fixture


# Best known values of other cases come from the run itself.
CASES = {
    "cg64": Case("NPB CG, 64 ranks", 64, best=1.161, fixture="cg64"),
    "cg128": Case("NPB CG, 128 ranks", 128, lambda: cg(128)),
    "cg256": Case("NPB CG, 256 ranks", 256, lambda: cg(256)),
    "dt85bh": Case("NPB DT black hole, 85", 85, best=1.071, fixture="dt85bh"),
    "lmp64": Case("LAMMPS-like halo, 64", 64, best=1.500, fixture="lmp64"),
    "lmp512": Case("LAMMPS-like halo, 16x8x4", 512, lambda: lammps((16, 8, 4))),
    "s3d512p": Case("3D stencil, periodic, 512", 512, best=1.000, fixture="s3d512p"),
    "s3d512p_sh": Case("the same, shuffled", 512, lambda: shuffled(stencil(TORUS, True), 512, 11), best=1.000),
    "s2d512n_sh": Case("2D stencil, shuffled, 512", 512, best=1.033, fixture="s2d512n_sh"),
    "s2d512p_sh": Case("2D periodic, shuffled, 512", 512, lambda: shuffled(stencil((32, 16), True), 512, 12)),
    "rgg512": Case("random geometric, 512", 512, best=1.673, fixture="rgg512"),
    "rgg512b": Case("random geometric, seed 2", 512, lambda: geometric(512, 2), best=1.966),
    "rgg512c": Case("random geometric, seed 3", 512, lambda: geometric(512, 3), best=1.968),
    "rgg512d": Case("random geometric, seed 4", 512, lambda: geometric(512, 4), best=1.951),
    "rgg512@4x8x16": Case("random geometric, 4x8x16", 512, torus=(4, 8, 16), best=1.634, fixture="rgg512"),
    "rgg2048x4": Case("random geometric, 4 per node", 2048, lambda: geometric(2048, 5), slots=4, best=1.139),
}

# Tori that hold as many ranks as processes, and process grids of the same size.
SIZES = {
    512: ((8, 8, 8), (32, 16)),
    4096: ((16, 16, 16), (64, 64)),
    16384: ((32, 32, 16), (128, 128)),
    32768: ((32, 32, 32), (256, 128)),
    131072: ((64, 64, 32), (512, 256)),
    262144: ((64, 64, 64), (512, 512)),
    1000000: ((100, 100, 100), (1000, 1000)),
}


def sized(family, ranks):
    torus, plane = SIZES[ranks]
    make = {
        "grid": lambda: stencil(plane, False),
        "shuffled": lambda: shuffled(stencil(torus, True), ranks, ranks),
        "geometric": lambda: geometric(ranks, ranks, 12),
    }[family]
    return Case(f"{family}, {ranks}", ranks, make, torus)


def find(name):
    if ":" in name:
        family, ranks = name.split(":")
        return sized(family, int(ranks))
    return CASES[name]


def write_graph(pairs, ranks, path):
    with open(path, "w", encoding="ascii") as out:
        out.write(f"%%MatrixMarket matrix coordinate integer general\n{ranks} {ranks} {2 * len(pairs)}\n")
        out.writelines(f"{a + 1} {b + 1} {weight}\n{b + 1} {a + 1} {weight}\n" for a, b, weight in pairs)


def write(name, folder):
    case = find(name)
    folder = pathlib.Path(folder)
    graph = folder / f"{name}.bytes.mtx"
    if case.fixture:
        shutil.copyfile(FIXTURES / f"{case.fixture}.bytes.mtx", graph)
    else:
        write_graph(case.pairs(), case.ranks, graph)
    nodes = math.prod(case.torus)
    width = len(str(nodes - 1))
    (folder / f"{name}.toml").write_text(
        f'[topology]\nkind = "torus"\nshape = {list(case.torus)}\nnodes = "n[{0:0{width}}-{nodes - 1}]"\n', "ascii"
    )


def main(arguments):
    if arguments == ["--list"]:
        for name, case in CASES.items():
            print(f"{name:16}{case.about}")
    elif len(arguments) == 2:
        write(*arguments)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])

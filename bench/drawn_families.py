# SPDX-License-Identifier: BSD-3-Clause
"""Families of traffic that only drawn cases (drawn.py) have: no suite holds them, and nothing in tofa was tuned for them.

Each is a function of a number of ranks, 200 or more, and a source of random numbers. Ranks are in the order in which a program
would number them. Where their number does not fit a shape, the few that are left over have no traffic.
"""
import itertools
import math

import cases
import families


def anisotropic(ranks, dimensions, source):
    """A stencil on cells that are much longer in some directions than in others, so that faces carry 1 to 1000, as in models
    of the atmosphere or of boundary layers; in half of the cases it is periodic."""
    weights = [10 ** source.randint(0, 3) for _ in range(dimensions)]
    return cases.stencil(families.box_of(ranks, dimensions), source.random() < 0.5, weights)


def along_axes(extents, every, reach):
    """Those at every so many places of a grid with those so far from them along each axis."""
    strides = [math.prod(extents[d + 1:]) for d in range(len(extents))]
    for at in itertools.product(*(range(0, extent, every) for extent in extents)):
        rank = sum(x * stride for x, stride in zip(at, strides))
        for x, extent, stride in zip(at, extents, strides):
            if x + reach < extent:
                yield rank, rank + reach * stride


def multigrid(ranks):
    """A geometric multigrid solver in space: on each coarser level every other rank of each direction is left, and exchanges
    a quarter as much with those that are left beside it."""
    extents = families.box_of(ranks, 3)
    levels = (max(extents) - 1).bit_length()
    return [(a, b, max(1, 64 >> 2 * level)) for level in range(levels) for a, b in along_axes(extents, 1 << level, 1 << level)]


def high_order(ranks):
    """A stencil of high order in space, as seismic codes have it, on parts so thin that it reaches four ranks far."""
    extents = families.box_of(ranks, 3)
    return [(a, b, weight) for reach, weight in enumerate((100, 30, 10, 3), 1) for a, b in along_axes(extents, 1, reach)]


def rmat(ranks, partners, source):
    """R-MAT, the graphs of Graph500: where an edge lies in the matrix is drawn by quarters of quarters, of which the first is
    the likeliest, so that few ranks talk to very many and there are groups within groups."""
    levels = (ranks - 1).bit_length()
    sums = {}
    while len(sums) < partners * ranks:
        quarters = source.choices(range(4), cum_weights=(57, 76, 95, 100), k=levels)
        a = sum((quarter >> 1) << level for level, quarter in enumerate(quarters))
        b = sum((quarter & 1) << level for level, quarter in enumerate(quarters))
        if a != b and max(a, b) < ranks:
            pair = (min(a, b), max(a, b))
            sums[pair] = sums.get(pair, 0) + 1
    return [(a, b, weight) for (a, b), weight in sums.items()]


def communities(ranks, source):
    """A social network that is cut along its communities, of which few are large and many small: each rank talks to four of
    its own community, and every other one to anybody."""
    ends = []
    first = 0
    while first < ranks:
        size = max(1, min(int(6 * source.paretovariate(1.2)), ranks // 4, ranks - first))
        community = range(first, first + size)
        for rank in community:
            ends += [(rank, source.choice(community)) for _ in range(4)]
            if source.random() < 0.5:
                ends.append((rank, source.randrange(ranks)))
        first += size
    return families.added_up((a, b, 10) for a, b in ends if a != b)


def pipeline(ranks):
    """Stages of a pipeline, each of which hands on what it has done to the next."""
    return [(rank, rank + 1, 1) for rank in range(ranks - 1)]


def binary_tree(ranks):
    """Reductions and broadcasts along a binary tree."""
    return [((rank - 1) // 2, rank, 1) for rank in range(1, ranks)]


def matching(ranks, source):
    """Pairs of ranks that talk to each other only, as those that simulate and those that look at what comes out of it; some
    pairs have a thousand times as much to say as others."""
    return [(rank, rank + 1, source.randint(1, 1000)) for rank in range(0, ranks - 1, 2)]


def cliques(ranks, source):
    """Small teams, of a size that seldom divides that of a node, all with all, as many independent solvers in one job."""
    size = source.choice((3, 5, 7, 11, 24))
    return [(a, b, 1) for first in range(0, ranks, size)
            for a, b in itertools.combinations(range(first, min(first + size, ranks)), 2)]


def producers(ranks, source):
    """A fifth of the ranks produce what the others consume, each from three of them."""
    count = ranks // 5
    return [(producer, rank, source.randint(1, 20)) for rank in range(count, ranks) for producer in source.sample(range(count), 3)]


def hexagons(ranks):
    """A sheet of hexagonal cells, as models of the ocean and of ice have it: every other row is shifted by half a cell."""
    columns, rows = families.box_of(ranks, 2)
    pairs = []
    for row, column in itertools.product(range(rows), range(columns)):
        rank = row * columns + column
        below = (column, column + 1) if row % 2 else (column - 1, column)
        if column + 1 < columns:
            pairs.append((rank, rank + 1, 1))
        if row + 1 < rows:
            pairs += [(rank, (row + 1) * columns + other, 1) for other in below if 0 <= other < columns]
    return pairs


def recursive_doubling(ranks):
    """An allgather by recursive doubling: partners are twice as far in each step, and get twice as much."""
    return [(a, b, a ^ b) for a, b, _ in families.butterfly(ranks)]


def vector_halving(ranks):
    """A reduce-scatter by halving the vector and doubling the distance: partners are twice as far in each step, and get half."""
    return [(a, b, max(1, 1024 // (a ^ b))) for a, b, _ in families.butterfly(ranks)]


def bruck(ranks):
    """An all-to-all by Bruck's algorithm: each rank sends as much to those 1, 2, 4, 8, ... ahead of it, around all ranks."""
    steps = [1 << i for i in range((ranks - 1).bit_length())]
    return families.added_up((rank, (rank + step) % ranks, 1) for step in steps for rank in range(ranks))


def ring_of_planes(ranks, source):
    """Plasma in a tokamak: a 9-point stencil in each of some planes around the ring, and each rank with those at the same
    place of the planes before and after."""
    planes = source.choice((4, 6, 8, 12, 16))
    size = ranks // planes
    plane = families.halo(size, 2, (16, 1))
    around = [(rank, (rank + size) % (planes * size), 4) for rank in range(planes * size)]
    return families.side_by_side(*[(size, plane)] * planes) + around


def banded(ranks):
    """Products with a banded matrix that is cut by rows: what ranks exchange falls with the square of their distance."""
    return [(a, b, max(1, 1000 // (1 + b - a) ** 2)) for a in range(ranks) for b in range(a + 1, min(ranks, a + 24))]


def uneven_mesh(ranks, source):
    """A mesh in space that is fine in some places and coarse in others, so that some ranks have hundreds of times the surface
    of others."""
    sizes = [source.lognormvariate(0, 2) for _ in range(ranks)]
    return [(a, b, max(1, int(100 * weight * math.sqrt(sizes[a] * sizes[b])))) for a, b, weight in families.mesh(ranks, 3, source)]


# Programs of a mixture: what these do with few ranks is sensible, too.
PROGRAMS = (
    lambda ranks, source: families.nearest(ranks, 2, 6, source),
    lambda ranks, source: families.mesh(ranks, 3, source),
    lambda ranks, source: families.halo(ranks, 3, (64, 8, 1)),
    lambda ranks, source: families.power_law(ranks, 4, source),
    lambda ranks, source: communities(ranks, source),
    lambda ranks, source: hexagons(ranks),
    lambda ranks, source: pipeline(ranks),
)


def mixture(ranks, source):
    """Two to five programs of any sizes in one job, which exchange a little between ranks anywhere."""
    cuts = [0, *sorted(source.sample(range(1, ranks), source.randint(1, 4))), ranks]
    sizes = [end - begin for begin, end in zip(cuts, cuts[1:])]
    programs = families.side_by_side(*((size, source.choice(PROGRAMS)(size, source)) for size in sizes))
    return families.added_up(programs + [(*source.sample(range(ranks), 2), 1) for _ in range(ranks // 10)])


FAMILIES = {
    "anisotropic2": lambda ranks, source: anisotropic(ranks, 2, source),
    "anisotropic3": lambda ranks, source: anisotropic(ranks, 3, source),
    "multigrid": lambda ranks, source: multigrid(ranks),
    "high-order": lambda ranks, source: high_order(ranks),
    "rmat": lambda ranks, source: rmat(ranks, 6, source),
    "communities": communities,
    "pipeline": lambda ranks, source: pipeline(ranks),
    "binary-tree": lambda ranks, source: binary_tree(ranks),
    "matching": matching,
    "cliques": cliques,
    "producers": producers,
    "hexagons": lambda ranks, source: hexagons(ranks),
    "recursive-doubling": lambda ranks, source: recursive_doubling(ranks),
    "vector-halving": lambda ranks, source: vector_halving(ranks),
    "bruck": lambda ranks, source: bruck(ranks),
    "ring-of-planes": ring_of_planes,
    "banded": lambda ranks, source: banded(ranks),
    "uneven-mesh": uneven_mesh,
    "mixture": mixture,
}

# SPDX-License-Identifier: BSD-3-Clause
"""What an entry of the registry is, and what several entries say in the same way."""
import dataclasses
import statistics
import typing

import cells


@dataclasses.dataclass(frozen=True)
class Form:
    """How much is repeated: the published numbers in full, some of each in a quick run."""

    name: str
    seeds: int  # of random placements
    batches: int  # published: 10
    instances: int  # jobs of a batch
    draws: int  # failures that are simulated, of a placement
    most_ranks: int  # of the mapping time


FORMS = {
    "tiny": Form("tiny", 1, 1, 5, 1, 512),  # for tests
    "quick": Form("quick", 2, 2, 100, 3, 2048),
    "full": Form("full", 10, 10, 100, 10, 16384),
}


@dataclasses.dataclass(frozen=True)
class Table:
    header: list
    rows: list


@dataclasses.dataclass(frozen=True)
class Shown:
    """What the results of an item look like: tables, and pictures as SVG with their titles. `wrong` says what must not be."""

    tables: list
    pictures: list = dataclasses.field(default_factory=list)
    wrong: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Item:
    """Tables and figures that are measured together. `covers` names them as the publications number them; `published` is what
    those say, `method` how it is measured here, `why` why the two differ where they do."""

    name: str
    title: str
    covers: tuple
    published: str
    method: str
    why: str
    cells: typing.Callable  # of a Form: the cells
    show: typing.Callable  # of a Form and of what answers a cell's result, or None: what is Shown


WAYS = {
    "default": "list order",
    "random": "random",
    "greedy": "greedy",
    "scotch": "SCOTCH, all nodes",
    "published": "TOFA as published",
    "tofa": "tofa",
}


def run(program, way, seed=1, shape="8x8x8", profile=None, criterion="bytes", parts=False):
    return cells.cell("run", program=program, way=way, seed=seed, shape=shape, profile=profile or program, criterion=criterion,
                      parts=parts)


def runs(form, program, way):
    """Repeated where chance is all there is: the others answer the same every time."""
    return [run(program, way, seed) for seed in range(1, form.seeds + 1)] if way == "random" else [run(program, way)]


def mean(results, field):
    """Of what is there; None when nothing is."""
    values = [result[field] for result in results if result is not None]
    return statistics.fmean(values) if values else None


def number(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def percent(value, digits=1):
    return "-" if value is None else f"{100 * value:.{digits}f} %"


def over(value, base):
    return None if value is None or not base else value / base


def less(value, base):
    """By how much a value is below another."""
    return None if value is None or not base else 1 - value / base

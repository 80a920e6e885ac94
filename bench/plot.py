# SPDX-License-Identifier: BSD-3-Clause
"""The pictures of compare.py, as plain SVG: nothing to install, and they open in any browser."""
import math
from xml.sax.saxutils import escape

# A colour for each program and a shape for each of its ways, so that nothing depends on telling colours apart
# (those are Okabe and Ito's).
PROGRAMS = {"METIS": "#cc79a7", "Scotch": "#0072b2", "tofa": "#d55e00", "": "#7a7a7a"}
SHAPES = ("circle", "square", "triangle", "diamond")


def marks(mappers):
    """What each mapper is drawn as: {mapper: (colour, shape)}."""
    taken = {program: 0 for program in PROGRAMS}
    result = {}
    for mapper in mappers:
        program = next(program for program in PROGRAMS if mapper.startswith(program))
        result[mapper] = (PROGRAMS[program], SHAPES[taken[program] % len(SHAPES)])
        taken[program] += 1
    return result


class Picture:
    def __init__(self, width, height):
        self.width = width
        self.height = height
        self.parts = []

    def text(self, x, y, words, anchor="start", size=12):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(words)}</text>')

    def line(self, x1, y1, x2, y2, colour="#ddd", width=1):
        self.parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"/>')

    def mark(self, x, y, mark, title):
        colour, shape = mark
        corners = {"square": ((-4, -4), (4, -4), (4, 4), (-4, 4)), "triangle": ((0, -5.5), (5, 4), (-5, 4)),
                   "diamond": ((0, -6), (5, 0), (0, 6), (-5, 0))}
        if shape == "circle":
            drawn = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5"'
        else:
            points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners[shape])
            drawn = f'<polygon points="{points}"'
        self.parts.append(f'{drawn} fill="{colour}" fill-opacity="0.8" stroke="#fff" stroke-width="0.7">'
                          f"<title>{escape(title)}</title>{'</circle>' if shape == 'circle' else '</polygon>'}")

    def box(self, x, y, width, height, colour, outline="none"):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}" '
                          f'stroke="{outline}"/>')

    def document(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
                f'viewBox="0 0 {self.width} {self.height}" font-family="sans-serif">\n'
                f'<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


class Scale:
    """A logarithmic axis from data to pixels."""

    def __init__(self, low, high, start, end):
        self.low, self.high, self.start, self.end = low, high, start, end

    def __call__(self, value):
        span = math.log(self.high / self.low)
        return self.start + (self.end - self.start) * math.log(value / self.low) / span


def quality(rows, mappers, best, about):
    """One line per case, one mark per mapper, further right for more hops per byte over the best known."""
    left, top, step = 290, 70, 24
    picture = Picture(920, top + step * len(best) + 50)
    bottom = top + step * len(best)
    worst = max(row["hops_per_byte"] / best[row["case"]] for row in rows if not row["failed"])
    across = Scale(1, max(worst, 1.1) * 1.05, left, picture.width - 30)
    marked = marks(mappers)
    for tick in (1, 1.1, 1.25, 1.5, 2, 3, 4, 6, 8):
        if tick <= across.high:
            picture.line(across(tick), top - 8, across(tick), bottom)
            picture.text(across(tick), bottom + 14, f"{tick:g}", "middle", 11)
    picture.text((left + picture.width) / 2, bottom + 34, "hops per byte over the best known (logarithmic)", "middle")
    for i, mapper in enumerate(mappers):
        x, y = 20 + 150 * (i % 6), 20 + 20 * (i // 6)
        picture.mark(x, y - 4, marked[mapper], mapper)
        picture.text(x + 9, y, mapper)
    for i, name in enumerate(best):
        y = top + step * (i + 0.5)
        picture.line(left, y, picture.width - 30, y, "#eee")
        picture.text(left - 10, y + 4, about[name], "end")
        for row in rows:
            if row["case"] == name and not row["failed"]:
                ratio = row["hops_per_byte"] / best[name]
                picture.mark(across(ratio), y, marked[row["mapper"]], f"{row['mapper']}: {row['hops_per_byte']:.3f}")
    return picture.document()


def panel(picture, box, title, series, marked, label):
    """One log-log diagram in `box` (left, top, right, bottom)."""
    left, top, right, bottom = box
    points = [point for line in series.values() for point in line]
    if not points:
        return
    across = Scale(400, 1.3e6, left, right)
    low = 10 ** math.floor(math.log10(min(y for _, y in points)))
    high = max(10 ** math.ceil(math.log10(max(y for _, y in points))), 10 * low)
    up = Scale(low, high, bottom, top)
    decade = low
    while decade <= high:
        picture.line(left, up(decade), right, up(decade))
        picture.text(left - 6, up(decade) + 4, f"{decade:g}", "end", 10)
        decade *= 10
    for ranks, name in ((1e3, "1 k"), (1e4, "10 k"), (1e5, "100 k"), (1e6, "1 M")):
        picture.line(across(ranks), top, across(ranks), bottom)
        picture.text(across(ranks), bottom + 14, name, "middle", 10)
    picture.text((left + right) / 2, bottom + 29, "ranks", "middle", 11)
    picture.text((left + right) / 2, top - 8, title, "middle")
    for mapper, line in series.items():
        for (x1, y1), (x2, y2) in zip(line, line[1:]):
            picture.line(across(x1), up(y1), across(x2), up(y2), marked[mapper][0], 2)
        for x, y in line:
            picture.mark(across(x), up(y), marked[mapper], f"{mapper}, {x} ranks: {y:.3g} {label}")


def scaling(rows, mappers, families):
    """Time, memory and hops per byte over the number of ranks, one column per kind of traffic."""
    measures = (("seconds", "s"), ("megabytes", "MB"), ("hops_per_byte", "hops per byte"))
    picture = Picture(60 + 300 * len(families), 40 + 250 * len(measures))
    marked = marks(mappers)
    for i, mapper in enumerate(mappers):
        picture.mark(60 + 150 * i, 16, marked[mapper], mapper)
        picture.text(70 + 150 * i, 20, mapper)
    for column, family in enumerate(families):
        for line, (measure, label) in enumerate(measures):
            series = {mapper: sorted((row["ranks"], row[measure]) for row in rows
                                     if row["case"] == family and row["mapper"] == mapper and not row["failed"])
                      for mapper in mappers}
            left, top = 60 + 300 * column, 60 + 250 * line
            panel(picture, (left, top, left + 240, top + 180), f"{family}: {label}", series, marked, label)
    return picture.document()

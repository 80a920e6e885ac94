# SPDX-License-Identifier: BSD-3-Clause
"""The pictures of measurements, as plain SVG: nothing to install, and they open in any browser."""
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

    def upright(self, x, y, words, size=11):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" font-size="{size}" '
                          f'transform="rotate(-90 {x:.1f} {y:.1f})">{escape(words)}</text>')

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


def frame(picture, box, title, across, up, names):
    """A log-log diagram without its marks: lines at ticks, and what the axes are, in `box` (left, top, right, bottom).

    `across` and `up` are a Scale and its ticks each, {value: words}; `names` is what is along them.
    """
    left, top, right, bottom = box
    for value, words in across[1].items():
        picture.line(across[0](value), top, across[0](value), bottom)
        picture.text(across[0](value), bottom + 14, words, "middle", 10)
    last = math.inf
    for value, words in up[1].items():
        y = up[0](value)
        if last - y < 11:  # words would lie on each other
            continue
        last = y
        picture.line(left, y, right, y)
        picture.text(left - 6, y + 4, words, "end", 10)
    picture.text((left + right) / 2, bottom + 29, names[0], "middle", 11)
    picture.upright(left - 38, (top + bottom) / 2, names[1])
    picture.text((left + right) / 2, top - 8, title, "middle")


def curve(picture, across, up, points, mark):
    """Points (x, y, words) and what joins them."""
    for (x1, y1, _), (x2, y2, _) in zip(points, points[1:]):
        picture.line(across(x1), up(y1), across(x2), up(y2), mark[0], 2)
    for x, y, words in points:
        picture.mark(across(x), up(y), mark, words)


def legend(picture, marked, left, step):
    for i, (name, mark) in enumerate(marked.items()):
        picture.mark(left + step * i, 16, mark, name)
        picture.text(left + 10 + step * i, 20, name)


def decades(values):
    low = 10 ** math.floor(math.log10(min(values)))
    high = max(10 ** math.ceil(math.log10(max(values))), 10 * low)
    return low, high, {low * 10 ** i: f"{low * 10 ** i:g}" for i in range(round(math.log10(high / low)) + 1)}


SIZES = {1e3: "1 k", 1e4: "10 k", 1e5: "100 k", 1e6: "1 M"}


def scaling(rows, mappers, families, measures):
    """Each of `measures` {column of a row: name of the axis} over the number of ranks, one column per kind of traffic,
    {family: title}."""
    picture = Picture(80 + 320 * len(families), 40 + 250 * len(measures))
    marked = marks(mappers)
    legend(picture, marked, 70, 150)
    for column, (family, title) in enumerate(families.items()):
        for line, (measure, name) in enumerate(measures.items()):
            series = {mapper: sorted((row["ranks"], row[measure], f"{mapper}, {row['ranks']} ranks: {row[measure]:.3g}")
                                     for row in rows if row["case"] == family and row["mapper"] == mapper
                                     and not row["failed"] and not math.isnan(row[measure]))
                      for mapper in mappers}
            values = [y for points in series.values() for _, y, _ in points]
            if not values:
                continue
            left, top = 70 + 320 * column, 60 + 250 * line
            low, high, ticks = decades(values)
            across, up = Scale(400, 1.3e6, left, left + 240), Scale(low, high, top + 180, top)
            frame(picture, (left, top, left + 240, top + 180), title, (across, SIZES), (up, ticks), ("ranks", name))
            for mapper, points in series.items():
                curve(picture, across, up, points, marked[mapper])
    return picture.document()


RATIOS = {1: "1", 1.1: "1.1", 1.25: "1.25", 1.5: "1.5", 2: "2", 3: "3", 5: "5", 10: "10", 20: "20", 50: "50"}
SECONDS = {0.01: "0.01", 0.1: "0.1", 1: "1", 10: "10", 100: "100"}


def race(rows, mappers, least, about):
    """How good an answer is over when it is there: a diagram for each case. `least` is what 1 stands for, `about` the
    title, both by case."""
    columns = 3
    picture = Picture(80 + 320 * columns, 40 + 250 * math.ceil(len(least) / columns))
    marked = marks(mappers)
    legend(picture, marked, 70, 150)
    for i, case in enumerate(least):
        left, top = 70 + 320 * (i % columns), 60 + 250 * (i // columns)
        here = [row for row in rows if row["case"] == case and not row["failed"]]
        if not here:
            continue
        series = {mapper: sorted((row["seconds"], row["hops_per_byte"] / least[case],
                                  f"{mapper}, {row['seconds']:.3g} s: {row['hops_per_byte']:.4g} hops per byte")
                                 for row in here if row["mapper"] == mapper) for mapper in mappers}
        worst = 1.05 * max(y for points in series.values() for _, y, _ in points)
        last = 1.2 * max(x for points in series.values() for x, _, _ in points)
        across, up = Scale(0.008, last, left, left + 240), Scale(1, max(worst, 1.3), top + 180, top)
        frame(picture, (left, top, left + 240, top + 180), about[case],
              (across, {x: words for x, words in SECONDS.items() if x <= last}),
              (up, {y: words for y, words in RATIOS.items() if y <= up.high}),
              ("seconds", "hops per byte over the least"))
        for mapper, points in series.items():
            curve(picture, across, up, points, marked[mapper])
    return picture.document()

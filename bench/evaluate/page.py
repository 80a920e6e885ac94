# SPDX-License-Identifier: BSD-3-Clause
"""What was measured, to read: a page of Markdown, and one of HTML with the pictures in it."""
import re
from html import escape

import compare
import registry

INTRODUCTION = """\
# The papers' tables and figures, measured again

The method of tofa was published in a paper and a thesis (TOFA: topology- and fault-aware process placement). This page has
every table and figure of the paper and of the thesis's chapters 5 and 6: what was published, what the published method does
here, what tofa does by default, and why they differ where they do. `./dev evaluate` measures all of it; this page is one of its
answers (`bench/evaluate/README.md`).

Placements: *list order* is what Slurm does by default. *SCOTCH, all nodes* maps onto the whole machine, a complete graph of the
nodes whose edges weigh hops, by SCOTCH's own programs. *TOFA as published* is Listing 1.1, mapper `tofa`: the first run of
fault-free nodes that is long enough, else all nodes, with distances by equation 1. *tofa* is the default, mapper `auto`,
objective `completion-time`.

Programs are not the benchmarks but send what those send, fewer times, without computing (`bench/simulation/README.md`). So times
are compared as ratios, as far as the publications give them. Where a cell has two figures, the first was published. Machine: 512
nodes, an 8x8x8 torus with links of 10 Gbit/s and 1 us, in SimGrid, as published.
"""


def form_words(form):
    words = {"quick": "quick form (`./dev evaluate --quick`)", "full": "full form (`./dev evaluate`)"}
    return (f"Measured in the {words.get(form.name, form.name)}: {form.seeds} random placements of each program; {form.batches} "
            f"batches of {form.instances} jobs; {form.draws} simulated failures of each placement; mapping times up to "
            f"{form.most_ranks:,} ranks.\n")


def titles_of(covers):
    """How the publications call what an item covers."""
    titles = {}
    for name in covers:
        publication = "Paper" if name.startswith("paper-") else "Paper and thesis" if name.startswith("equation") else "Thesis"
        titles.setdefault(publication, []).append(name.removeprefix("paper-").replace("-", " "))
    return "; ".join(f"{publication}: {', '.join(names)}" for publication, names in titles.items()) or "Not in the publications"


def markdown(form, shown, failed):
    """`shown`: {item: Shown}."""
    parts = [INTRODUCTION, form_words(form)]
    for item, what in shown.items():
        parts.append(f"## {item.title}\n\n{titles_of(item.covers)}.\n\nPublished: {item.published}\n")
        if item.method:
            parts.append(f"Here: {item.method}\n")
        parts += [compare.markdown(table.header, table.rows) for table in what.tables]
        parts += [f"**Wrong:** {words}\n" for words in what.wrong]
        if item.why:
            parts.append(f"{item.why}\n")
    parts.append("## Not measured\n\n" + "".join(f"- {titles_of([name])}: {why}.\n" for name, why in registry.NOT_MEASURED.items()))
    if failed:
        parts.append("## Failed\n\n" + "".join(f"- {cell.name()}: {why}\n" for cell, why in failed.items()))
    return "\n".join(parts)


STYLE = """body { font: 15px/1.5 sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em }
table { border-collapse: collapse; margin: 1em 0 } td, th { border: 1px solid #ccc; padding: 2px 8px; text-align: right }
td:first-child, th:first-child { text-align: left } figure { margin: 1em 0; overflow-x: auto }"""


def inline(words):
    """Markdown's `code` and *stress*."""
    marked = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(words))
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", marked)


def html_table(table):
    def row(tag, words):
        return "<tr>" + "".join(f"<{tag}>{escape(word)}</{tag}>" for word in words) + "</tr>"

    return "<table>" + row("th", table.header) + "".join(row("td", line) for line in table.rows) + "</table>"


def html(form, shown):
    parts = ["<!DOCTYPE html><html lang='en'><meta charset='utf-8'><title>The papers' tables and figures</title>",
             f"<style>{STYLE}</style>"]
    title, *paragraphs = INTRODUCTION.split("\n\n")
    parts.append(f"<h1>{escape(title.lstrip('# '))}</h1>")
    parts += [f"<p>{inline(words)}</p>" for words in [*paragraphs, form_words(form)]]
    for item, what in shown.items():
        parts.append(f"<h2 id='{item.name}'>{escape(item.title)}</h2><p>{escape(titles_of(item.covers))}.</p>")
        words = [f"Published: {item.published}", f"Here: {item.method}" if item.method else "", item.why]
        parts += [f"<p>{inline(paragraph)}</p>" for paragraph in words if paragraph]
        parts += [html_table(table) for table in what.tables]
        for caption, picture in what.pictures:
            parts.append(f"<figure><figcaption>{escape(caption)}</figcaption>{picture[picture.index('<svg'):]}</figure>")
        parts += [f"<p><b>Wrong:</b> {escape(words)}</p>" for words in what.wrong]
    return "\n".join(parts) + "</html>\n"

# SPDX-License-Identifier: BSD-3-Clause
"""Cells: what tables are made of. A cell is one measurement with all that it depends on; its result is a file, so that what is
measured once is not measured again, in whatever table it stands, and a run that was interrupted goes on where it was."""
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import sys
import threading


@dataclasses.dataclass(frozen=True)
class Cell:
    """`kind` says who measures it; `values` are pairs of a name and a word or number."""

    kind: str
    values: tuple

    def __getitem__(self, name):
        return dict(self.values)[name]

    def name(self):
        """Names a file. The words are for people; the digest tells apart what they do not."""
        words = re.sub(r"[^A-Za-z0-9]+", "_", "-".join(str(value) for _, value in self.values))
        digest = hashlib.sha256(repr((self.kind, self.values)).encode()).hexdigest()[:8]
        return f"{self.kind}-{words[:120]}-{digest}"


def cell(kind, **values):
    return Cell(kind, tuple(sorted(values.items())))


class Store:
    """Results in a folder, a file each. `fingerprint` is of all that measured: others' results do not count."""

    def __init__(self, folder, fingerprint):
        self.folder = pathlib.Path(folder)
        self.fingerprint = fingerprint
        self.folder.mkdir(parents=True, exist_ok=True)

    def path(self, one):
        return self.folder / f"{one.name()}.json"

    def get(self, one):
        """What was measured; None when it was not, or by other programs, or the file is damaged."""
        try:
            kept = json.loads(self.path(one).read_text(encoding="utf-8"))
            return kept["result"] if kept["fingerprint"] == self.fingerprint else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, one, result):
        """The file appears whole or not at all."""
        kept = {"kind": one.kind, "values": dict(one.values), "fingerprint": self.fingerprint, "result": result}
        new = self.path(one).with_suffix(f".{os.getpid()}-{threading.get_ident()}.new")
        new.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        new.replace(self.path(one))


def fingerprint_of(paths, words=()):
    """Of the contents of files, and of words."""
    digest = hashlib.sha256()
    for content in [*(pathlib.Path(path).read_bytes() for path in sorted(paths)), *(word.encode() for word in words)]:
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()[:16]


def share_of(cells, part, parts):
    """What task `part` of `parts` measures, counted from 1: every parts-th, so that the long ones are spread."""
    return [one for index, one in enumerate(cells) if index % parts == part - 1]


def measure_all(cells, store, measure, jobs):
    """Measures what is missing, `jobs` at a time; answers the cells that failed, with the reason."""
    missing = [one for one in dict.fromkeys(cells) if store.get(one) is None]
    failed = {}
    done = 0

    def measure_unless_there(one):
        found = store.get(one)  # by another run meanwhile
        return measure(one) if found is None else found

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(measure_unless_there, one): one for one in missing}
        try:
            for future in concurrent.futures.as_completed(running):
                one = running[future]
                done += 1
                try:
                    store.put(one, future.result())
                    word = ""
                except Exception as error:  # one that fails must not cost the others
                    failed[one] = str(error)
                    word = f": {error}"
                print(f"{done} of {len(missing)}: {one.name()}{word}", file=sys.stderr, flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return failed

# SPDX-License-Identifier: BSD-3-Clause
"""Programs of Debian's packages: how each is run, which of its results must not change by a single digit when it is
monitored, and what its traffic must look like."""
import glob
import itertools
import os
import re
import shutil
import subprocess

INPUTS = os.path.dirname(os.path.abspath(__file__))
LIMIT = 300  # seconds for anything


class Wrong(Exception):
    """What is not as it must be."""


def require(condition, what):
    if not condition:
        raise Wrong(what)


def prepare_by(folder, *command, environment=None):
    result = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, timeout=LIMIT, check=False, env={**os.environ, **(environment or {})})
    require(result.returncode == 0, f"{' '.join(command)} failed:\n{result.stdout[-2000:]}")
    return result.stdout


def read(folder, name, mode="r"):
    with open(os.path.join(folder, name), mode) as file:
        return file.read()


def pairs(matrix):
    return {pair for pair, value in matrix.items() if value}


def require_symmetric(matrix, what):
    uneven = [pair for pair, value in matrix.items() if matrix.get(pair[::-1], 0) != value]
    require(not uneven, f"{what} differ between the two directions of {uneven[:5]}")


def neighbours(ranks, shape, periodic):
    """Pairs beside each other in a grid of ranks, the last dimension fastest or first: in a cube it is the same."""
    places = list(itertools.product(*(range(extent) for extent in shape)))
    require(len(places) == ranks, f"{shape} are not {ranks} ranks")
    result = set()
    for (a, at), (b, to) in itertools.permutations(enumerate(places), 2):
        apart = [min(abs(x - y), n - abs(x - y)) if periodic else abs(x - y) for x, y, n in zip(at, to, shape)]
        if sum(apart) == 1:
            result.add((a, b))
    return result


class Lammps:
    """A melt: halos in a periodic 2 x 2 x 2 grid of ranks, the same to both sides of each border."""
    title = "LAMMPS, a Lennard-Jones melt of 6,912 atoms, 200 steps"
    ranks = 8
    steps = 200
    compared = "energies, temperatures and pressures, places and velocities of all atoms, with 16 digits"

    def prepare(self, folder):
        shutil.copy(os.path.join(INPUTS, "melt.lmp"), folder)

    def command(self):
        return ["lmp", "-in", "melt.lmp", "-var", "steps", str(self.steps), "-log", "melt.log"]

    def outcome(self, folder):
        log = read(folder, "melt.log")
        thermo = re.search(r"^ *Step .*?(?=^Loop time)", log, re.S | re.M)
        require(thermo and thermo.group(0).count("\n") > 10, "melt.log has no energies")
        return [thermo.group(0), read(folder, "melt.dump")]

    def look(self, profile, folder):
        require("2 by 2 by 2 MPI processor grid" in read(folder, "melt.log"), "LAMMPS does not use a 2 x 2 x 2 grid")
        user = profile["user", "messages"]
        halo = neighbours(8, (2, 2, 2), periodic=True)
        halos = {pair: value for pair, value in user.items() if pair in halo}
        require_symmetric(halos, "messages of halos")
        # In each step there and back, to both sides, which are the same rank here.
        require(halo == pairs(halos) and min(halos.values()) >= 4 * self.steps, f"fewer than 4 messages a step: {halos}")
        inside, everything = sum(halos.values()), sum(user.values())
        require(inside > 0.95 * everything, f"only {inside} of {everything} messages are halos")
        return "4 messages a step to each of the 3 neighbours of every rank, as many both ways"


class Gromacs:
    """Water: halos of domains, and the transposes of PME's Fourier transforms between all ranks."""
    title = "GROMACS, 1,700 molecules of water with PME, 200 steps"
    ranks = 4
    steps = 200  # as water.mdp has it
    compared = "energies (.edr), places and velocities (.trr) byte by byte; -reprod"

    def prepare(self, folder):
        for name in ("water.top", "water.mdp"):
            shutil.copy(os.path.join(INPUTS, name), folder)
        prepare_by(folder, "gmx", "solvate", "-cs", "spc216", "-box", *["3.72412"] * 3, "-o", "water.gro", "-p", "water.top")
        prepare_by(folder, "gmx", "grompp", "-f", "water.mdp", "-c", "water.gro", "-p", "water.top", "-o", "water.tpr")

    def command(self):
        return ["gmx_mpi", "mdrun", "-s", "water.tpr", "-deffnm", "water", "-ntomp", "1", "-npme", "0", "-pin", "off", "-reprod"]

    def outcome(self, folder):
        return [read(folder, f"water.{ending}", "rb") for ending in ("trr", "edr")]

    def look(self, profile, folder):
        everything = profile["all", "bytes"]
        every = set(itertools.permutations(range(self.ranks), 2))
        require(pairs(everything) >= every, f"nothing between {every - pairs(everything)}: PME needs all pairs")
        sent = profile["all", "messages"]
        require(all(sent[pair] >= self.steps for pair in every), f"fewer messages than steps: {sent}")
        return "all ranks with all, at least a message a step"


class Hpcc:
    """Linear algebra, transposes, random updates, Fourier transforms: everybody with everybody."""
    title = "HPCC, all seven benchmarks, N = 400"
    ranks = 4
    compared = "residuals, norms and errors of HPL, PTRANS, RandomAccess and FFT"

    def prepare(self, folder):
        text = read("/usr/share/doc/hpcc/examples", "_hpccinf.txt")
        with open(os.path.join(folder, "hpccinf.txt"), "w") as file:
            file.write(re.sub(r"^1000( +Ns)$", r"400\1", text, flags=re.M))

    def command(self):
        return ["hpcc"]

    def outcome(self, folder):
        results = re.findall(r"^(?:Success|HPL_(?:N|\w*[Nn]orm\w+)|PTRANS_residual|\w+_(?:Errors|ExeUpdates|maxErr))=.*$",
                             read(folder, "hpccoutf.txt"), re.M)
        require("Success=1" in results and "HPL_N=400" in results and len(results) > 10, f"hpccoutf.txt has only {results}")
        return results

    def look(self, profile, folder):
        every = set(itertools.permutations(range(self.ranks), 2))
        require(pairs(profile["user", "bytes"]) >= every, "HPCC's user messages do not join all ranks")
        require(pairs(profile["collective", "bytes"]) >= every, "HPCC's collectives do not join all ranks")
        return "all ranks with all, by messages and by collectives"


class Petsc:
    """Conjugate gradients: persistent halos in a 2 x 2 x 2 grid of ranks, and reductions."""
    title = "PETSc, conjugate gradients on 48 x 48 x 48 points"
    ranks = 8
    compared = "the norms of all residuals and of the solution, with 17 digits"

    def prepare(self, folder):
        configuration = glob.glob("/usr/lib/petscdir/petsc3*/*-real/lib/pkgconfig")
        require(configuration, "PETSc has no pkgconfig folder below /usr/lib/petscdir")
        flags = prepare_by(folder, "pkg-config", "--cflags", "--libs", "PETSc",
                           environment={"PKG_CONFIG_PATH": configuration[0]}).split()
        prepare_by(folder, "mpicc", "-O2", os.path.join(INPUTS, "poisson.c"), "-o", "poisson", *flags)

    def command(self):
        return ["./poisson", "-side", "48"]

    def outcome(self, folder):
        norms = [line for line in read(folder, "stdout").splitlines() if re.match(r"(\d+|solution) \S+$", line)]
        require(len(norms) > 20 and norms[-1].startswith("solution"), "PETSc printed no norms")
        return norms

    def look(self, profile, folder):
        sent = profile["user", "bytes"]
        require_symmetric(sent, "user's bytes")
        require(pairs(sent) == neighbours(8, (2, 2, 2), periodic=False), f"not the halos of a 2 x 2 x 2 grid: {sorted(pairs(sent))}")
        return "halos with the 3 neighbours of every rank, as many bytes both ways"

    def counting(self):
        """A run in which PETSc itself counts what it sends."""
        return [*self.command(), "-log_view"]

    def own_count(self, profile, folder):
        """Bytes of user's messages as -log_view sums them up, to four digits."""
        line = re.search(r"^MPI Msg Len \(bytes\):.* (\S+)$", read(folder, "stdout"), re.M)
        require(line, "-log_view does not tell of messages")
        counted = sum(profile["user", "bytes"].values())
        require(f"{counted:.3e}" == line.group(1), f"PETSc counts {line.group(1)} bytes, the monitor {counted}")
        return f"{counted:,} bytes of user's messages, and PETSc's own count is {line.group(1)}"


PROGRAMS = (Lammps, Gromacs, Hpcc, Petsc)

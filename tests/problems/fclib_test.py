"""FCLib's problems, read, reduced and solved by the program, against numpy: fclib_test.py SCREE SOURCE [Test ...]"""

import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

try:
    import h5py
    import numpy as np
except ImportError:
    sys.exit(77)
import fclib_files as fclib

PROGRAM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
DATA = SOURCE / "tests" / "data"
REAL = ("local_problem_test.hdf5", "Box_Stacks-i0122-82-5.hdf5", "CubeH8.hdf5")


ELASTIC_BED = """
gravity = [0, 0, -9.81]
end_time = 0.3
time_step = 0.001
[[materials]]
name = "rubber"
density = 1000
friction = 0.5
restitution = 0.3
youngs_modulus = 1e7
poisson_ratio = 0.4
[[bodies]]
generate = "lattice"
radius = 0.01
count = 27
region = { type = "box", low = [-0.035, -0.035, 0], high = [0.035, 0.035, 0.08] }
[[boundaries]]
type = "plane"
normal = [0, 0, 1]
"""

class Fclib(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path, self.solved = self.folder / "problem.hdf5", self.folder / "solved.hdf5"

    def scree(self, *arguments):
        command = [PROGRAM, "solve", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)

    def solve(self, path, tolerance=1e-10, *options):
        """W, q, mu and the solution in the program's output."""
        done = self.scree(path, "--solver", "admm", "--tolerance", tolerance, "--fclib", self.solved,
                          "--overwrite", *options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return fclib.read(self.solved)

    def check(self, path, p, tolerance=1e-10):
        """The program's matrices equal numpy's, and the solution solves the problem. Returns r."""
        w, q = fclib.reduced(p)
        d = p["spacedim"]
        got = self.solve(path, tolerance)
        kept = np.arange(3 * len(p["mu"])).reshape(-1, 3)[:, :d].ravel()
        scale = abs(w).max()
        self.assertLess(abs(got["W"][np.ix_(kept, kept)] - w).max(), 1e-10 * scale)
        self.assertLess(abs(got["q"][kept] - q).max(), 1e-10 * abs(q).max())
        np.testing.assert_array_equal(got["mu"], p["mu"])
        added = np.setdiff1d(np.arange(len(got["q"])), kept)
        np.testing.assert_array_equal(got["r"][added], 0.0)
        r = got["r"][kept]
        self.assertLess(np.sqrt((fclib.natural_map(w, q, p["mu"], r, d) ** 2).mean()), 10 * tolerance * np.linalg.norm(q))
        self.assertLess(abs(w @ r + q - got["u"][kept]).max(), 1e-9 * abs(q).max())
        self.assertGreater(abs(r).max(), 0.0)
        return r

    def refuse(self, path, *words):
        done = self.scree(path)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        return done.stderr

    def test_files_are_as_fclib_writes_them(self):
        """The files of these tests, by h5py, have the tree, types, shapes and values of FCLib's own files."""
        local, plane = fclib.local_form(fclib.example(3, 3)), fclib.example(2, 2)
        n, m = len(local["q"]), len(plane["w"])
        known = {"l": np.ones(3), "u": 0.5 * np.arange(n), "r": 0.25 * np.arange(n)}
        fclib.write(self.folder / "local.hdf5", local, fclib.ROWS, "three joints", known, (known, known))
        known = {"v": np.ones(36), "l": np.ones(2), "u": 0.5 * np.arange(m), "r": 0.25 * np.arange(m)}
        fclib.write(self.folder / "plane.hdf5", plane, fclib.COLUMNS, "in the plane", known)
        for name in ("local", "plane"):
            ours = tree(self.folder / f"{name}.hdf5")
            theirs = tree(DATA / "fclib" / f"written_by_fclib_{name}.hdf5")
            self.assertEqual(ours.keys(), theirs.keys())
            for key, (kind, shape, value) in theirs.items():
                self.assertEqual(ours[key][:2], (kind, shape), key)
                if kind.kind == "f":
                    np.testing.assert_allclose(ours[key][2], value, rtol=1e-9, atol=1e-12, err_msg=key)
                else:
                    np.testing.assert_array_equal(ours[key][2], value, key)

    def test_files_of_fclib(self):
        """Problems with joints in FCLib's own files; guesses and solutions are reported."""
        for name, p in (("local", fclib.local_form(fclib.example(3, 3))), ("plane", fclib.example(2, 2))):
            self.check(DATA / "fclib" / f"written_by_fclib_{name}.hdf5", p)
        done = self.scree(DATA / "fclib" / "written_by_fclib_local.hdf5", "--tolerance", 1e-3)
        self.assertIn('("three joints", FCLib, local form, 3 equalities eliminated)', done.stdout)
        for known in ("guess 1", "guess 2", "solution"):
            self.assertIn(f"stored {known}: relative residual", done.stdout)

    def test_every_form_and_storage(self):
        """Global and local forms of a problem have one solution, in space and in the plane, with and without joints."""
        for dimension in (2, 3):
            for equalities in (0, 3):
                p = fclib.example(dimension, equalities, seed=10 * dimension + equalities)
                solutions = []
                for form in (p, fclib.local_form(p)):
                    for storage in (fclib.TRIPLETS, fclib.COLUMNS, fclib.ROWS):
                        with self.subTest(dimension=dimension, equalities=equalities, storage=storage):
                            fclib.write(self.path, form, storage)
                            solutions.append(self.check(self.path, form))
                for r in solutions[1:]:
                    self.assertLess(abs(r - solutions[0]).max(), 1e-7 * abs(solutions[0]).max())

    def test_files_of_the_collection(self):
        """Files of others, without change; M of one is an upper triangle and represents a symmetric matrix."""
        for name in REAL:
            with self.subTest(name=name):
                p = fclib.read(DATA / "fclib" / name)
                if "M" in p and np.count_nonzero(np.tril(p["M"], -1)) == 0:
                    p["M"] = p["M"] + np.triu(p["M"], 1).T
                self.check(DATA / "fclib" / name, p, 1e-8)

    def test_triplets_the_other_way_round(self):
        """As in the comment in fclib.h: rows in p, columns in i. Only square matrices can be read both ways."""
        p = fclib.example(3, 2)
        fclib.write(self.path, p, fclib.TRIPLETS)
        with h5py.File(self.path, "r+") as file:
            for name in ("H", "G"):
                group = file["fclib_global"][name]
                columns, rows = group["p"][:], group["i"][:]
                group["p"][:], group["i"][:] = rows, columns
        self.check(self.path, p)

    def test_warm_start(self):
        """A guess that solves the problem leaves no work with --warm, and is not used without."""
        p = fclib.local_form(fclib.example(3, 0))
        fclib.write(self.path, p)
        r = self.solve(self.path, 1e-12)["r"]
        fclib.write(self.path, p, guesses=({"u": p["W"] @ r + p["q"], "r": r},))
        for options, solved in (((), False), (("--warm",), True)):
            done = self.scree(self.path, "--solver", "gauss_seidel", "--max-sweeps", 1, "--tolerance", 1e-9, *options)
            self.assertEqual(done.returncode, 0 if solved else 8, done.stdout)
        self.assertRegex(done.stdout, r"stored guess 1: relative residual \d\.\d\de-1\d")

    def test_equalities_that_repeat_each_other(self):
        """The same joint twice counts as one joint; with another velocity it is a contradiction."""
        p = fclib.example(3, 2)
        p["G"], p["b"] = np.hstack((p["G"], p["G"][:, :1])), np.append(p["b"], p["b"][0])
        fclib.write(self.path, p)
        self.check(self.path, p)
        p["b"][-1] += 1.0
        fclib.write(self.path, p)
        self.refuse(self.path, "/fclib_global: its equality constraints contradict each other")

    def test_faults_are_reported_together(self):
        fclib.write(self.path, fclib.example(3, 0))
        with h5py.File(self.path, "r+") as file:
            group = file["fclib_global"]
            group["M/x"][3] = np.nan
            group["H/i"][2] = 99
            group["vectors/mu"][1] = -0.5
            del group["vectors/f"]
            del group["vectors/w"]
            group["vectors/w"] = np.zeros(40)
        self.refuse(self.path, "/fclib_global/M/x: must have finite numbers",
                    "/fclib_global/H/i: entry 2 is 99, outside the range 0 to 17", "/fclib_global/vectors/mu: must not be negative",
                    "/fclib_global/vectors/f: is missing", "/fclib_global/vectors/w: must have 18 values, not 40")

    def test_matrices_that_cannot_be(self):
        def refused(change, *words, form=lambda p: p, storage=fclib.ROWS):
            p = form(fclib.example(3, 0))
            fclib.write(self.path, p, storage)
            with h5py.File(self.path, "r+") as file:
                change(next(iter(file.values())))
            self.refuse(self.path, *words)

        def assign(name, value):
            def change(group):
                group[name][...] = value
            return change

        refused(assign("M/nz", -3), "M/nz: must be one whole number from -2 to 100000000")
        refused(assign("H/n", 2**31 - 1), "H/n: must be one whole number from 0 to 100000000")
        refused(assign("M/m", 35), "M: must be 35 x 35, not 35 x 36", "M/p: must be 36 increasing numbers from 0")
        refused(assign("M/nz", 9999), "M: must have 9999 triplets according to nz", storage=fclib.TRIPLETS)
        refused(assign("spacedim", 5), "spacedim: must be 2 or 3")
        refused(assign("spacedim", 2), "vectors/mu: must have 9 values, not 6")
        refused(lambda g: g["M/x"].write_direct(-g["M/x"][:]), "M: must be positive definite")
        refused(lambda g: g["M/x"].write_direct(g["M/x"][:] + 0.5 * np.arange(len(g["M/x"]))), "M: must be symmetric: entries (")
        refused(assign("W/x", 0.0), "W: block (0, 0) must exist once, with a positive first entry",
                form=fclib.local_form)

    def test_other_files(self):
        with h5py.File(self.path, "w") as file:
            file["numbers"] = [1.0]
        self.refuse(self.path, "has no contact problem, neither of Scree (attribute 'format') nor of FCLib")
        with h5py.File(self.path, "w") as file:
            file.create_group("fclib_global_rolling")
        self.refuse(self.path, "rolling friction is not supported")
        self.path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 12\n")
        self.refuse(self.path, "is a Git LFS pointer", "git lfs pull")

    def test_comparison(self):
        """Tables, CSV and picture of the stored problems; the shares follow from the CSV."""
        table, picture = self.folder / "t.csv", self.folder / "p.svg"
        done = self.scree(DATA / "friction_contact", DATA / "fclib" / REAL[0], "--solver", "gauss_seidel", "--solver",
                          "admm", "--tolerance", 1e-4, "--csv", table, "--profile", picture)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(table) as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 2 * 13)
        time = {}
        for row in rows:
            self.assertEqual(row["solved"] == "1", float(row["residual_relative"]) <= 1e-4)
            time.setdefault(row["solver"], []).append(float(row["time_s"]) if row["solved"] == "1" else np.inf)
        best = np.minimum(time["gauss_seidel"], time["admm"])
        for solver, of_solver in time.items():
            ratios = np.array(of_solver) / best
            shares = [f"{100 * (ratios <= tau).mean():.0f} %" for tau in (1, 2, 10)]
            line = re.search(rf"^\| {solver} .*\|$", done.stdout, re.MULTILINE).group()
            self.assertEqual([cell.strip() for cell in line.split("|")[2:-1]], [f"{(ratios < np.inf).sum()} of 13"] + shares)
        self.assertIn("Capsules-i101-404.dat", done.stdout)
        words = "".join(xml.parse(picture).getroot().itertext())
        for word in ("gauss_seidel (", "admm (", "fraction of problems solved", "time divided by that of the fastest"):
            self.assertIn(word, words)

    def test_profile_without_gnuplot(self):
        """The table is printed; missing programs are reported, and no destructor causes a crash."""
        good = DATA / "friction_contact" / "Rover1039.dat"
        done = subprocess.run([PROGRAM, "solve", good, good, "--max-sweeps", "10", "--profile", self.folder / "p.svg"],
                              capture_output=True, text=True, timeout=120, check=False, env={**os.environ, "PATH": str(self.folder)})
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("gnuplot, which is not installed", done.stderr)
        self.assertIn("| solver ", done.stdout)

    def test_elastic_contacts_need_a_solver_that_knows_them(self):
        """'admm' and 'one_pass' would solve another problem, with rigid contacts; W and q do not hold the compliance."""
        scene, problem = self.folder / "bed.toml", self.folder / "bed.h5"
        scene.write_text(ELASTIC_BED)
        done = subprocess.run([PROGRAM, "run", scene, "-q", "-o", self.folder / "run", "--dump-problem", problem,
                               "--dump-step", "295"],
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertTrue(problem.exists(), done.stderr)
        with h5py.File(problem) as file:
            self.assertGreater(file["contacts/compliance"][:, 0].max(), 0.0)
        for name in ("admm", "one_pass"):
            for problems in ((problem,), (problem, DATA / "friction_contact" / "Rover1039.dat")):
                done = self.scree(*problems, "--solver", name)
                self.assertEqual(done.returncode, 3, done.stdout)
                self.assertIn(f"'{name}' supports only rigid contacts", done.stderr)
        done = self.scree(problem, "--fclib", self.solved)
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("neither elastic contacts", done.stderr)
        done = self.scree(problem)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("gauss_seidel", done.stdout)
        self.assertNotIn("admm", done.stdout)

    def test_comparison_reports_errors(self):
        good = DATA / "friction_contact" / "Rover1039.dat"
        for k in (1, 2):
            (self.folder / f"bad{k}.dat").write_text("3\n1\n0\nx\n")
        done = self.scree(good, self.folder)
        self.assertEqual(done.returncode, 3)
        for word in ("bad1.dat:4:1", "bad2.dat:4:1"):
            self.assertIn(word, done.stderr)
        self.assertNotIn("Rover1039", done.stdout)  # nothing was solved
        done = self.scree(good, good, "--solver", "one_pass")
        self.assertEqual(done.returncode, 3)
        self.assertIn("'one_pass' needs bodies", done.stderr)
        done = self.scree(good, good, "--plot", self.folder / "p.svg")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--plot: needs a single problem; --profile draws several", done.stderr)
        empty = self.folder / "empty"
        empty.mkdir()
        self.assertIn("has no contact problems", self.scree(empty).stderr)
        done = self.scree(good, DATA / "fclib" / REAL[0], "--max-sweeps", 1)
        self.assertEqual(done.returncode, 8)
        self.assertIn("not below", done.stdout)


def tree(path):
    """Type, shape and values of all datasets of a file."""
    found = {}

    def visit(name, thing):
        if isinstance(thing, h5py.Dataset):
            found[name] = (thing.dtype, thing.shape, thing[()])

    with h5py.File(path) as file:
        file.visititems(visit)
    return found


if __name__ == "__main__":
    os.environ["HDF5_USE_FILE_LOCKING"] = "FALSE"
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

"""scree model: model_test.py <scree> <source folder> [Model.test_name ...]"""
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
MODELS = SOURCE / "scenes" / "models"


def scree_model(*arguments, **options):
    return subprocess.run([PROGRAM, "model", *map(str, arguments)], capture_output=True, text=True, timeout=100, **options)


class Model(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def told(self, *arguments, **options):
        done = scree_model(*arguments, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def table(self, path):
        with open(path, encoding="utf-8") as file:
            return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]

    def write(self, text):
        path = self.folder / "mine.mo"
        path.write_text(text, encoding="utf-8")
        return path

    def fails(self, text, status, *words, arguments=()):
        done = scree_model(self.write(text), *arguments)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_runs_and_writes_a_table(self):
        out = self.folder / "table.csv"
        text = self.told(MODELS / "excavator.mo", "--stop-time", 2, "--step", 0.01, "-o", out, "--code", "interpreted")
        for word in ("excavator: 2 s", "200 of 0.01 s", "3, 3, 5 unknowns -> 1, 1, 1", "interpreted", "times real time"):
            self.assertIn(word, text)
        rows = self.table(out)
        self.assertEqual(len(rows), 201)
        self.assertEqual((rows[0]["time"], rows[-1]["time"]), (0.0, 2.0))
        self.assertEqual(rows[0]["r7"], 0.2)
        for row in rows:  # the name of an eliminated variable is listed too
            self.assertEqual(row["boomCylinder.q"], row["r7"])
        self.assertEqual(scree_model(MODELS / "excavator.mo", "-o", out).returncode, 4)
        self.assertEqual(self.told(MODELS / "excavator.mo", "-o", out, "--overwrite", "-q", "--step", 0.1), "")

    def test_ways_of_tearing_and_code_agree(self):
        tables = []
        for tearing in ("marked", "heuristic", "none", "whole"):
            for code in ("compiled", "interpreted"):
                out = self.folder / f"{tearing}_{code}.csv"
                done = scree_model(MODELS / "five_variables.mo", "--tearing", tearing, "--code", code, "--step", 0.01, "-o", out, "-q")
                self.assertEqual(done.returncode, 0, done.stderr)
                tables.append(self.table(out))
        for other in tables[1:]:
            for a, b in zip(tables[0], other, strict=True):
                for name, value in a.items():
                    self.assertAlmostEqual(value, b[name], delta=1e-9)

    def test_backward_formula_is_nearer(self):
        text = "model m Real x(start = 1, fixed = true); equation der(x) = -x; end m;"
        errors = []
        for method in ("implicit_euler", "bdf2"):
            out = self.folder / f"{method}.csv"
            self.told(self.write(text), "--method", method, "--step", 0.01, "-o", out, "--code", "interpreted")
            errors.append(abs(self.table(out)[-1]["x"] - 0.36787944117144233))
        self.assertLess(errors[1], errors[0] / 50)

    def test_structure(self):
        text = self.told(MODELS / "five_variables.mo", "--structure")
        self.assertIn("5 equations, 5 unknowns", text)
        self.assertIn("states: x, x1, x2", text)
        self.assertIn("5 unknowns -> 1", text)
        self.assertIn("iterate x1", text)
        matrices = re.findall(r"^  ((?:[x.#o] ){5})", text, flags=re.MULTILINE)
        self.assertEqual(len(matrices), 10)
        stand = [sum(row.count(sign) for row in rows for sign in "x#o") for rows in (matrices[:5], matrices[5:])]
        self.assertEqual(stand, [12, 12])
        text = self.told(MODELS / "pendulum.mo", "--structure")
        self.assertIn("differentiated twice: x^2 + y^2 = L^2", text)
        self.assertIn("dummy derivatives: ", text)

    def test_pictures(self):
        picture, plot = self.folder / "structure.png", self.folder / "curves.png"
        self.told(MODELS / "excavator.mo", "--structure", picture)
        self.assertEqual(picture.read_bytes()[:4], b"\x89PNG")
        self.told(MODELS / "excavator.mo", "--plot", f"r2,r7={plot}", "--code", "interpreted", "--step", 0.05)
        self.assertEqual(plot.read_bytes()[:4], b"\x89PNG")

    def test_reports_errors(self):
        self.fails("model m\n  Real x;\nequation\n  x = ;\nend m;", 3, "mine.mo:4:7", "expected an expression, found ';'")
        self.fails("model m\n  Real x;\nequation\n  x = 1;\n  x = 2;\nend m;", 3, "too many equations: 2 equations for 1 variable (x)")
        self.fails("model m Real x(start = 1); equation x^2 = 1 - time; end m;", 5, "x^2 = 1 - time", "at 1", "x = ",
                   arguments=("--stop-time", 2, "--step", 0.1, "--code", "interpreted", "-q"))
        done = scree_model(self.folder / "none.mo")
        self.assertEqual(done.returncode, 3)
        self.assertIn("cannot be read", done.stderr)
        for arguments, words in ((("--method", "euler"), "implicit_euler"), (("--tearing", "marks"), "marked"), (("--step", 0), "> 0"),
                                 (("--plot", "x"), "NAME"), (("--plot", "rr=a.png"), "there is no variable 'rr'"), (("--main", "excavato"), "did you mean 'excavator'"),
                                 (("--structure", "a.jpg"), ".png")):
            done = scree_model(MODELS / "excavator.mo", *arguments, cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout), (3 if "--main" in arguments else 2, ""), done.stderr)
            self.assertIn(words, done.stderr)

    def test_a_scene_with_one_is_tried(self):
        """The trial takes longer steps than the run, and returns to the run's steps at some times."""
        done = subprocess.run([PROGRAM, "check", SOURCE / "scenes/machines/press.toml", "--set", "end_time=0.1"],
                              capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("a coarse trial run to the end", done.stdout)

    def test_a_missing_compiler_is_reported(self):
        done = scree_model(MODELS / "pendulum.mo", env={**os.environ, "CXX": "/no/such/compiler"})
        self.assertEqual(done.returncode, 0)
        self.assertIn("interpreted", done.stdout)
        self.assertIn("no compiler '/no/such/compiler'", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

"""`scree validate`: cases, passes, kept results and messages. The program is a fake one."""

import contextlib
import io
import json
import os
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from unittest import mock

from scree import validation, validation_case, validation_fits, validation_report
from scree.study_reader import StudyError
from scree.validation_case import KNOWN, MISS, PASS, UNSURE, Check

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "scenes/validation"

# A program that knows `check`, `run` and `--version`: the mean of pile.angle_deg is ten times the friction and a
# tenth of the seed.
FAKE = r'''
import json, sys
from pathlib import Path

words = sys.argv[1:]
sets = dict(words[k + 1].split("=", 1) for k, word in enumerate(words) if word == "--set")
if words[0] == "--version":
    print("scree 0.0")
    sys.exit(0)
with open(Path(__file__).with_name("called"), "a") as called:
    called.write(" ".join(words) + "\n")
if words[0] == "check":
    print("  memory      about 40 MB of 25.3 GB")
    sys.exit(0)
if sets.get("friction") == "0.9" and not Path(__file__).with_name("healed").exists():
    print("error: it broke", file=sys.stderr)
    sys.exit(5)
out = Path(words[words.index("--resume" if "--resume" in words else "-o") + 1])
out.mkdir(parents=True, exist_ok=True)
angle = 10.0 * float(sets.get("friction", 0.5)) + 0.1 * float(sets["seed"])
(out / "measurements.json").write_text(json.dumps({"measurements": {"pile": {"quantities": {
    "angle_deg": {"unit": "deg", "mean": angle, "error": 0.01, "last": angle}}}}}))
(out / "measured_pile.csv").write_text("time_s,angle_deg\n1,2\n2,4.5\n")
grade = sets.get("grade", "green").strip(chr(34))
(out / "summary.json").write_text(json.dumps({"status": "finished", "verdict": {"grade": grade}}))
'''

CASE = '''
from scree.validation_case import Check, Form

TITLE = "A pile"
MEASURES = "Its angle."
SOURCES = ["Somebody 1999, Nowhere 1, 2."]
SHORT = Form(grid={{"friction": {frictions}}}, seeds=2, seconds=1)
FULL = Form(grid={{"friction": {frictions}, "size": [1, 2]}}, seeds=2)
{more}


def analyse(points):
    found = points[-1].mean("pile.angle_deg")
    assert points[-1].runs[0].table("measured_pile.csv")["angle_deg"][1] == 4.5
    assert points[-1]["height"] == 3  # of the scene
    return [Check("angle", found.value, found.error, {low}, {high}, "°", published="by hand")]


def draw(axes, points):
    axes.plot([p["friction"] for p in points], [p.mean("pile.angle_deg").value for p in points])
'''


class WithProgram(unittest.TestCase):

    def setUp(self):
        self.keep = tempfile.TemporaryDirectory()
        self.folder = Path(self.keep.name)
        script = self.folder / "fake.py"
        script.write_text(FAKE)
        self.program = self.folder / "scree"
        self.program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n')
        self.program.chmod(0o755)
        self.library = self.folder / "cases"
        self.library.mkdir()
        change = mock.patch.dict(os.environ, SCREE_PROGRAM=str(self.program))
        change.start()
        self.addCleanup(change.stop)
        self.addCleanup(self.keep.cleanup)

    def case(self, name="pile", low=4.0, high=6.0, frictions=(0.3, 0.5), more=""):
        (self.library / f"{name}.py").write_text(
            CASE.format(low=low, high=high, frictions=list(frictions), more=textwrap.dedent(more)))
        (self.library / f"{name}.toml").write_text("[parameters]\nheight = 3\nfriction = 0.5\n")

    def validate(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = validation.main(["--library", str(self.library), "--folder", str(self.folder / "out"), *words])
            except SystemExit as end:
                status = end.code
        return status, out.getvalue(), err.getvalue()

    def called(self, word="run"):
        file = self.folder / "called"
        return [line for line in file.read_text().splitlines() if line.startswith(word)] if file.exists() else []

    def written(self):
        return json.loads((self.folder / "out/validation.json").read_text())["cases"]


class Validate(WithProgram):

    def test_case_that_holds(self):
        self.case()
        status, out, err = self.validate()
        self.assertEqual(status, 0, out + err)
        self.assertIn("the case holds", out)
        check = self.written()["pile"]["checks"][0]
        self.assertAlmostEqual(check["value"], 5.15)  # friction 0.5, seeds 1 and 2
        self.assertAlmostEqual(check["error"], 0.05)  # s / sqrt(2) of 5.1 and 5.2
        self.assertEqual((check["verdict"], check["low"], check["high"]), (PASS, 4.0, 6.0))
        self.assertEqual(self.written()["pile"]["verdict_of_runs"], "green")
        self.assertEqual(len(self.called()), 4)
        self.assertFalse((self.folder / "out/validation.md").exists())

    def test_wrong_band_is_a_miss(self):
        self.case(low=5.3, high=6.0)
        status, out, _ = self.validate()
        self.assertEqual(status, validation.MISSED)
        self.assertRegex(out, r"pile +angle +5\.150 ± 0\.050 ° +5\.3 to 6 ° +miss")
        self.assertIn("0 of 1 cases hold; these do not: pile", out)
        self.assertFalse(self.written()["pile"]["passed"])

    def test_two_errors_reach_the_band(self):
        self.case(low=5.24, high=6.0)
        self.assertEqual(self.validate()[0], 0)

    def test_known_miss_is_shown(self):
        self.case(low=5.3, high=6.0, more='KNOWN_MISSES = {"angle": "the pile is too small"}')
        status, out, _ = self.validate()
        self.assertEqual(status, 0)
        self.assertIn("known miss: pile, angle: the pile is too small", out)
        self.assertIn("0 of 1 cases hold; the others miss for known reasons: pile", out)
        self.assertEqual(self.written()["pile"]["checks"][0]["verdict"], KNOWN)

    def test_known_miss_of_one_form(self):
        for form, status in (("SHORT", 0), ("FULL", validation.MISSED)):
            self.case(low=5.3, high=6.0, more=f"""
                import dataclasses
                {form} = dataclasses.replace({form}, known_misses={{"angle": "the pile is too small"}})
                """)
            found, out, _ = self.validate()
            self.assertEqual(found, status, out)
            self.assertEqual("known miss: pile, angle: the pile is too small" in out, status == 0)

    def test_cause_must_be_stated(self):
        self.case(low=5.3, high=6.0, more='KNOWN_MISSES = {"angle": ""}')
        self.assertEqual(self.validate()[0], validation.MISSED)

    def test_runs_are_kept(self):
        self.case()
        self.validate()
        self.case(frictions=(0.3, 0.4, 0.5), low=0.0, high=1.0)  # more points; another band
        status, _, _ = self.validate()
        self.assertEqual(status, validation.MISSED)
        self.assertEqual(len(self.called()), 6)

    def test_goes_on_where_it_was_cut_off(self):
        self.case()
        self.validate()
        for file in (self.folder / "out/pile/runs").glob("*/summary.json"):
            file.unlink()  # as after a killed run
            break
        self.assertEqual(self.validate()[0], 0)
        self.assertEqual(len(self.called()), 5)

    def test_failed_run_is_no_result(self):
        self.case(frictions=(0.5, 0.9))
        status, out, _ = self.validate()
        self.assertEqual(status, 5)
        self.assertIn("no result: pile: friction = 0.9, seed 1: failed: it broke", out)
        self.assertEqual(self.validate()[0], 5)
        (self.folder / "healed").touch()
        self.assertEqual(self.validate()[0], 5)
        self.assertEqual(self.validate("--retry")[0], validation.MISSED)

    def test_others_go_on_after_one_without_a_result(self):
        self.case("a_first", frictions=(0.9,))
        self.case("b_second")
        status, out, _ = self.validate()
        self.assertEqual(status, 5)
        self.assertIn("1 of 2 cases hold; these do not: a_first", out)

    def test_full_form_has_a_page(self):
        self.case()
        status, _, _ = self.validate("--full")
        self.assertEqual(status, 0)
        self.assertEqual(len(self.called()), 8)
        page = (self.folder / "out/validation.md").read_text()
        for words in ("## A pile", "Somebody 1999", "published 4 to 6 ° (by hand): **pass**", "full form",
                      "processors"):
            self.assertIn(words, page)

    def test_figure(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("no matplotlib")
        self.case()
        self.validate("--page")
        self.assertGreater((self.folder / "out/pile.png").stat().st_size, 5000)
        self.assertIn("![A pile](pile.png)", (self.folder / "out/validation.md").read_text())

    def test_other_cases_stay_in_the_file(self):
        self.case("first")
        self.case("second")
        self.validate("first")
        self.validate("second")
        self.assertEqual(list(self.written()), ["first", "second"])

    def test_settings_of_all_runs(self):
        self.case()
        self.validate("--set", "solver.tolerance=0.01", "--set", "grade=amber")
        self.assertIn("--set solver.tolerance=0.01", self.called()[0])
        self.assertEqual(self.written()["pile"]["verdict_of_runs"], "amber")

    def test_a_seed_replaces_those_of_the_form(self):
        self.case()
        self.validate("--set", "seed=7")
        self.assertEqual(len(self.called()), 2)
        self.assertTrue(all("--set seed=7" in line for line in self.called()))

    def test_settings_win_over_those_of_points(self):
        self.case()
        _, out, err = self.validate("--set", "friction=0.35")
        self.assertTrue(all("friction=0.35" in line for line in self.called()))
        self.assertEqual(len(self.called()), 2)  # two points became one, with two seeds
        self.assertNotIn("no result", out + err)

    def test_unknown_case_names_the_nearest(self):
        self.case("hopper_discharge")
        status, _, err = self.validate("hoper_discharge")
        self.assertEqual(status, 2)
        self.assertIn("there is no case 'hoper_discharge'; did you mean 'hopper_discharge'?", err)

    def test_list(self):
        self.case()
        status, out, _ = self.validate("--list")
        self.assertEqual(status, 0)
        self.assertRegex(out, r"pile +A pile \(short 1 s")
        self.assertEqual(self.called("check"), [])

    def test_no_library(self):
        status, _, err = self.validate("--library", str(self.folder / "nowhere"))
        self.assertEqual(status, 6)
        self.assertIn("use --library FOLDER", err)

    def test_faults_of_a_case_are_reported(self):
        (self.library / "empty.py").write_text("TITLE = 'x'\n")
        (self.library / "broken.py").write_text("1 / 0\n")
        (self.library / "poor.py").write_text("import no_such_package\n")
        status, _, err = self.validate()
        self.assertEqual(status, 3)
        for words in ("empty.py: SOURCES is missing", "empty.py: its scene empty.toml is not in the same folder",
                      "broken.py: ZeroDivisionError", "poor.py: needs the Python package no_such_package"):
            self.assertIn(words, err)

    def test_fault_of_an_analysis_is_no_result(self):
        self.case(more="def broken(points):\n    return points[0]['weight']\n")
        file = self.library / "pile.py"
        file.write_text(file.read_text().replace('"pile.angle_deg")\n    assert', '"pile.angle")\n    assert'))
        status, out, _ = self.validate()
        self.assertEqual(status, validation.MISSED)
        self.assertIn("did you mean 'pile.angle_deg'?", out)


class Checks(unittest.TestCase):

    def test_verdicts(self):
        for value, error, expected in ((1.0, 0.0, PASS), (1.15, 0.02, MISS), (1.15, 0.03, PASS), (0.85, 0.02, MISS),
                                       (1.3, 0.2, UNSURE), (None, 0.0, MISS), (float("nan"), 0.0, MISS),
                                       (1.0, float("nan"), MISS)):
            with self.subTest(value=value, error=error):
                self.assertEqual(Check("x", value, error, 0.9, 1.1).verdict(), expected)

    def test_an_error_too_large_is_no_pass(self):
        self.assertEqual(Check("x", 1.0, 0.5, 0.9, 1.1).verdict(), UNSURE)
        self.assertEqual(Check("x", 1.0, 0.5, 0.9, 1.1, largest_error=0.6).verdict(), PASS)

    def test_shown(self):
        self.assertEqual(validation_report.shown(1.23456, 0.0123), "1.235 ± 0.012")
        self.assertEqual(validation_report.shown(12345.6, 120.0), "12346 ± 120")
        self.assertEqual(validation_report.shown(0.5, 0.0), "0.5")
        self.assertEqual(validation_report.shown(None, 0.0), "none")


class Fits(unittest.TestCase):

    def test_line(self):
        found = validation_fits.line([0, 1, 2, 3], [1, 3.1, 4.9, 7])
        self.assertAlmostEqual(found.slope, 1.98)
        self.assertAlmostEqual(found.root, -found.intercept / found.slope)
        self.assertGreater(found.slope_error, 0.0)

    def test_errors_that_are_too_small_are_scaled(self):
        x, y = [0, 1, 2, 3], [1, 3.1, 4.9, 7]
        free = validation_fits.line(x, y)
        self.assertAlmostEqual(validation_fits.line(x, y, [1e-6] * 4).slope_error, free.slope_error)
        self.assertGreater(validation_fits.line(x, y, [1.0] * 4).slope_error, free.slope_error)

    def test_power(self):
        found = validation_fits.power([1, 2, 4], [3, 12, 48])
        self.assertAlmostEqual(found.slope, 2.0)


class Library(unittest.TestCase):
    """The shipped cases are in order; `scree validate` itself does their runs."""

    def setUp(self):
        self.cases = validation_case.read_cases(LIBRARY, [])

    def test_all_are_read(self):
        self.assertGreaterEqual(len(self.cases), 8)

    def test_every_case_has_its_texts(self):
        for case in self.cases:
            with self.subTest(case.name):
                self.assertTrue(any("doi:" in source for source in case.sources))
                self.assertIsNotNone(case.draw)
                self.assertLessEqual(case.short.seconds, 40)
                self.assertLess(len(case.file.read_text().splitlines()), 60)
                for form in (case.short, case.full):
                    points = form.all_points()
                    self.assertTrue(all(list(point) == list(points[0]) for point in points))

    def test_scenes_are_in_order(self):
        if "SCREE_PROGRAM" not in os.environ:
            self.skipTest("no SCREE_PROGRAM")
        from scree import study_runs

        identities = study_runs.Identities()
        for case in self.cases:
            for full, k in ((False, 0), (False, -1), (True, 0)):
                study = case.study(full, Path("nowhere"), 1, {})
                overrides = study.overrides(study.points[k], 1)
                job = study_runs.Job(case.scene, overrides, 0, identities.of(case.scene, overrides), case.name)
                with self.subTest(case.name, full=full, point=k):
                    self.assertGreater(study_runs.check(job), 0.0)

    def test_library_is_found_from_the_sources(self):
        try:
            self.assertEqual(validation_case.library(None).resolve(), LIBRARY)
        except StudyError:
            self.skipTest("the package is not that of the sources")


if __name__ == "__main__":
    unittest.main()

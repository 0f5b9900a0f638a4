"""Runs `scree bench` as users do: bench_test.py <scree> [Bench.test_name ...]"""

import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv[1]

STEPS = ["settled_bed", "pouring", "polydisperse"]  # timed from a moment on
RUNS = ["collapse", "tube", "mixture", "hopper"]  # timed from start to end

SCENE = """
name = "drop"
time_step = 0.001
end_time = 0.01
[[materials]]
name = "stone"
density = 2500
[[bodies]]
radius = 0.05
position = [0, 0, 0.051]
[[boundaries]]
type = "plane"
"""


class Bench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def bench(self, *arguments, status=0):
        if "--json" in arguments:
            arguments += ("--overwrite",)
        done = subprocess.run([PROGRAM, "bench", *arguments], cwd=self.folder, capture_output=True, text=True, timeout=100)
        self.assertEqual(status, done.returncode, done.stdout + done.stderr)
        return done

    def measured(self, *arguments):
        self.bench("--quick", "--json", "out.json", *arguments)
        with open(self.path("out.json")) as file:
            return json.load(file)

    def check_case(self, case):
        self.assertEqual(len(case["step_time_s"]["samples"]), case["repeats"])
        self.assertEqual(sorted(case["step_time_s"]["samples"])[0], case["step_time_s"]["min"])
        self.assertLessEqual(case["step_time_s"]["min"], case["step_time_s"]["median"])
        self.assertLessEqual(case["step_time_s"]["median"], case["step_time_s"]["max"])
        stages = [case["stage_time_s"][name]["median"] for name in ("preparation", "detection", "resolution", "finish")]
        self.assertTrue(all(time > 0 for time in stages))
        self.assertAlmostEqual(case["body_steps_per_s"] * case["step_time_s"]["median"], case["bodies"], places=6)
        self.assertAlmostEqual(case["simulated_per_wall"] * case["step_time_s"]["median"], case["time_step_s"], places=9)
        physics = case["physics"]
        self.assertAlmostEqual(case["contacts_per_s"] * case["step_time_s"]["median"], physics["contacts"], places=6)
        self.assertLessEqual(physics["active_contacts"], physics["contacts"])
        self.assertGreaterEqual(physics["sweeps"], 1)
        self.assertLessEqual(physics["penetration_mean"], physics["penetration_max"])
        self.assertLess(physics["penetration_max"], 0.2)
        self.assertLess(physics["energy_error_relative"], 1e-3)
        self.assertEqual(0, physics["narrow_phase_failures"])
        self.assertGreater(case["bytes_per_body"], 300)
        self.assertRegex(case["state_hash"], "^[0-9a-f]{16}$")
        self.assertTrue(case["reproducible"])

    def check_run(self, case):
        run = case["whole_run"]
        self.assertEqual(case["steps"], round(run["simulated_s"] / case["time_step_s"]))
        self.assertAlmostEqual(run["wall_time_s"]["median"], case["step_time_s"]["median"] * case["steps"], places=9)
        for median, slow, worst in zip(*(run[key]["samples"] for key in
                                         ("median_step_s", "percentile_95_step_s", "worst_step_s"))):
            self.assertTrue(0 < median <= slow <= worst)
        self.assertTrue(0 < run["worst_step_at_s"] <= run["simulated_s"] + 1e-9)
        physics = case["physics"]
        self.assertAlmostEqual(physics["residual_max"] / case["tolerance"], run["residual_of_goal_max"])
        self.assertAlmostEqual(physics["steps_not_converged"] / case["steps"], run["share_not_converged"])
        self.assertLessEqual(physics["sweeps"], physics["sweeps_max"])
        # A step that is halved three times has fifteen solutions.
        self.assertLessEqual(physics["sweeps_max"], 15 * case["max_sweeps"])
        self.assertGreaterEqual(run["energy_injected_J"], run["energy_created_J"])
        self.assertEqual(run["settled_at_s"] is None, run["settling_wall_s"] is None)
        stretches = run["stretches"]
        self.assertEqual({100}, {len(column) for column in stretches.values()})
        self.assertAlmostEqual(run["simulated_s"], stretches["time_s"][-1])
        self.assertAlmostEqual(max(stretches["residual_of_goal"]), run["residual_of_goal_max"])

    def test_quick_measures_all(self):
        report = self.measured("--threads", "1,2", "--csv", "out.csv")
        self.assertEqual(("scree bench", 1), (report["format"], report["format_version"]))
        self.assertRegex(report["started"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        for key in ("cpu", "cores", "threads", "caches", "memory_bytes", "system", "load"):
            self.assertIn(key, report["machine"])
        self.assertGreater(report["machine"]["memory_bytes"], 1e8)
        for key in ("version", "commit", "compiler", "flags"):
            self.assertTrue(report["build"][key])
        self.assertGreater(report["peak_resident_bytes"], 1e6)
        self.assertEqual(STEPS + RUNS, [p["scene"] for p in report["preparations"]])
        for preparation in report["preparations"]:
            self.assertEqual(60, preparation["bodies"])
            self.assertAlmostEqual(0.6 if preparation["scene"] in STEPS else 0.0, preparation["simulated_s"])
        for case in report["cases"]:
            self.check_case(case)
            self.assertEqual(case["scene"] in RUNS, case["whole_run"] is not None)
            if case["whole_run"]:
                self.check_run(case)
                self.assertAlmostEqual(0.6, case["whole_run"]["simulated_s"])
        plain = {(c["scene"], c["threads"]): c for c in report["cases"] if c["residual_target"] is None}
        self.assertEqual(2 * len(STEPS + RUNS), len(plain))
        for scene in STEPS + RUNS:
            self.assertEqual(plain[scene, 1]["state_hash"], plain[scene, 2]["state_hash"])
            self.assertGreater(plain[scene, 1]["physics"]["contacts"], 0)
        self.assertEqual([0.01] * 3, [c["residual_target"] for c in report["cases"] if c["residual_target"]])
        with open(self.path("out.csv")) as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([c["state_hash"] for c in report["cases"]], [row["state_hash"] for row in rows])
        for row, case in zip(rows, report["cases"]):
            self.assertAlmostEqual(float(row["step_median_s"]) / case["step_time_s"]["median"], 1, places=5)

    def test_lists_benchmarks(self):
        text = self.bench("--list").stdout
        for name in STEPS + RUNS:
            self.assertRegex(text, rf"(?m)^{name} .*(; whole run)?$")
        self.assertEqual(len(RUNS), text.count("; whole run\n"))

    def test_names_have_suggestions(self):
        done = self.bench("setled_bed", status=2)
        self.assertIn("did you mean 'settled_bed'?", done.stderr)
        self.assertNotIn("did you mean", self.bench("quicksand", status=2).stderr)
        self.assertIn("cannot be opened", self.bench("no_such_file.toml", status=3).stderr)
        self.assertIn("--solver", self.bench("--solver", "magic", status=2).stderr)
        self.assertIn(".svg, .png or .pdf", self.bench("--plot", "a.gif", status=2).stderr)

    def test_takes_any_scene(self):
        with open(self.path("drop.toml"), "w") as file:
            file.write(SCENE)
        self.bench("drop.toml", "--steps", "3", "--repeats", "2", "--threads", "1", "--solver", "gauss_seidel,one_pass",
                   "--set", "time_step=0.002", "--json", "out.json")
        with open(self.path("out.json")) as file:
            cases = json.load(file)["cases"]
        self.assertEqual([("gauss_seidel", None), ("gauss_seidel", 1e-2), ("gauss_seidel", 1e-3), ("gauss_seidel", 1e-4), ("one_pass", None)],
                         [(c["solver"], c["residual_target"]) for c in cases])
        self.assertEqual({0.002}, {c["time_step_s"] for c in cases})
        self.assertEqual({1}, {c["bodies"] for c in cases})
        self.assertEqual([1] * 3, [case["bodies"] for case in self.measured("drop.toml", "--threads", "1,2")["cases"]])
        done = self.bench("drop.toml", "--size", "5", status=3)  # a scene without `count`
        self.assertIn("count", done.stderr)

    def test_sleep_must_be_named(self):
        with open(self.path("drop.toml"), "w") as file:
            file.write(SCENE + "[sleep]\nspeed = 0.01\nduration = 0.01\n")
        once = ("drop.toml", "--from", "0.1", "--steps", "3", "--repeats", "1", "--threads", "1", "--no-residuals", "--json",
                "out.json")
        for more, name, asleep in (((), "drop", 0.0), (("--set", "sleep.speed=0.02"), "drop_with_sleep", 1.0)):
            done = self.bench(*once, *more)
            with open(self.path("out.json")) as file:
                case = json.load(file)["cases"][0]
            self.assertEqual((name, asleep), (case["scene"], case["physics"]["asleep"]))
            self.assertEqual(asleep == 0.0, "sleep is switched off" in done.stderr)
        self.assertIn("does not work with sleep", self.bench(*once, *more, "--solver", "one_pass", status=3).stderr)

    def test_scales_weakly(self):
        report = self.measured("pouring", "--weak", "--size", "40", "--threads", "1,3")
        self.assertEqual([(40, 1), (120, 3)], [(c["bodies"], c["threads"]) for c in report["cases"]])

    def test_compares_files(self):
        report = self.measured("settled_bed", "--repeats", "5", "--threads", "1", "--no-residuals")
        text = self.bench("--compare", "out.json", "out.json").stdout
        self.assertIn("no time changed beyond the noise; the same states, bit for bit", text)
        samples = report["cases"][0]["step_time_s"]["samples"]
        quiet = [samples[0] * (1 + 0.001 * k) for k in range(5)]  # independent of the machine's noise
        report["cases"][0]["step_time_s"]["samples"] = report["cases"][0]["cpu_time_s"]["samples"] = quiet
        self.write("before.json", report)
        report["cases"][0]["step_time_s"]["samples"] = [2 * time for time in quiet]
        report["cases"][0]["physics"]["contacts"] *= 2
        report["cases"][0]["state_hash"] = "0" * 16
        self.write("after.json", report)
        text = self.bench("--compare", "before.json", "after.json", status=9).stdout
        self.assertRegex(text, r"\+100\.0 %.*slower")
        self.assertRegex(text, r"(?m)^  contacts [\d.]+ -> ")
        self.assertIn("slower, beyond the noise; the computed results changed", text)
        self.assertRegex(self.bench("--compare", "after.json", "before.json").stdout, r"-50\.0 %.*faster")
        self.bench("--compare", "before.json", "after.json", "--least-change", "1.5")
        self.assertIn("no.json", self.bench("--compare", "before.json", "no.json", status=6).stderr)

    def test_runs_whole_scenes(self):
        with open(self.path("drop.toml"), "w") as file:
            file.write(SCENE)
        once = ("--threads", "1", "--repeats", "2", "--json", "out.json")
        self.bench("drop.toml", "--whole-run", *once)
        with open(self.path("out.json")) as file:
            self.assertEqual([10], [case["steps"] for case in json.load(file)["cases"]])
        text = self.bench("settled_bed", "--size", "30", "--whole-run", "--set", "end_time=0.5", "--residuals",
                          "1e-2,1e-5", "--csv", "out.csv", "--plot", "out.svg", *once).stdout
        self.assertRegex(text, r"(?m)^whole runs .* wall s .* worst +at t, s$")
        self.assertRegex(text, r"(?m)^gauss_seidel to 1e-05 .* [0-9a-f]{16}$")
        with open(self.path("out.json")) as file:
            cases = json.load(file)["cases"]
        self.assertEqual([None, 1e-2, 1e-5], [case["residual_target"] for case in cases])
        for case in cases:
            self.check_case(case)
            self.check_run(case)
            self.assertEqual((250, 2), (case["steps"], case["repeats"]))
        loose, tight = cases[1:]
        self.assertEqual(1000, tight["max_sweeps"])
        self.assertLess(loose["physics"]["sweeps"], tight["physics"]["sweeps"])
        self.assertLess(tight["physics"]["residual_mean"], 1e-2 * loose["physics"]["residual_mean"])
        with open(self.path("out.csv")) as file:
            rows = list(csv.DictReader(file))
        for row, case in zip(rows, cases):
            self.assertEqual("1", row["whole_run"])
            self.assertAlmostEqual(float(row["wall_median_s"]), case["whole_run"]["wall_time_s"]["median"], places=5)
            self.assertAlmostEqual(float(row["worst_step_at_s"]), case["whole_run"]["worst_step_at_s"], places=5)
        with open(self.path("out.svg")) as file:
            shown = file.read()
        for title in ("steps of a run", "residual of a run", "settling", "time to equal residual"):
            self.assertIn(title, shown)
        # A scene that is run whole by default can also be timed from a moment on, but not with both options.
        self.bench("collapse", "--size", "30", "--from", "0.1", "--steps", "2", *once, "--no-residuals")
        with open(self.path("out.json")) as file:
            self.assertEqual([(None, 2)], [(c["whole_run"], c["steps"]) for c in json.load(file)["cases"]])
        self.assertIn("--whole-run", self.bench("collapse", "--whole-run", "--from", "0.1", status=2).stderr)
        self.assertIn("--whole-run", self.bench("collapse", "--whole-run", "--tile", "2", status=2).stderr)

    def test_compares_whole_runs(self):
        report = self.measured("collapse", "--repeats", "5", "--threads", "1")
        case = report["cases"][0]
        quiet = [1e-3 * (1 + 0.001 * k) for k in range(5)]
        case["step_time_s"]["samples"] = case["cpu_time_s"]["samples"] = quiet
        self.write("before.json", report)
        case["step_time_s"]["samples"] = case["cpu_time_s"]["samples"] = [time / 2 for time in quiet]
        case["whole_run"]["settled_at_s"], case["whole_run"]["settling_wall_s"] = 0.4, {"samples": quiet}
        case["state_hash"] = "0" * 16
        self.write("after.json", report)
        text = self.bench("--compare", "before.json", "after.json").stdout
        self.assertRegex(text, r"(?m)^median s per whole run .*\ncollapse, 60 bodies, 1 thread, gauss_seidel, whole run .* -50\.0 %")
        self.assertRegex(text, r"(?m)^  settled at t = \S+( s)? -> 0\.4 s$")

    def write(self, name, report):
        with open(self.path(name), "w") as file:
            json.dump(report, file)

    def test_draws_plots(self):
        self.measured("settled_bed", "--size", "30,60", "--threads", "1,2", "--residuals", "1e-2,1e-3", "--plot", "out.svg")
        with open(self.path("out.svg")) as file:
            text = file.read()
        words = re.findall(r">([^<>]+)</text>|<tspan[^>]*>([^<>]+)</tspan>", text)
        shown = " ".join(a or b for a, b in words)
        for title in ("strong scaling", "stages of settled_bed, 60 bodies", "time to equal residual", "speed-up"):
            self.assertIn(title, shown)


if __name__ == "__main__":
    sys.argv.pop(1)
    unittest.main()

"""Files of measurements, resumed runs, errors of means, and mistakes:
measure_files_test.py <scree> <source dir> [Measure.test_name ...]"""
import csv
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from measure_oracle import Checks, series
from measure_scenes import BED, BED_MEASURES, CHUTE, HEAD, PROGRAM, ROOT, made, measured, one, scree, table, write

import h5py
import numpy as np


class Measure(Checks):
    def test_frames_that_are_far_apart(self):
        """Measures that follow grains warn where these move far between two frames, and only there."""
        plane = '[[measurements]]\nname = "out"\nmeasure = "flow"\nplane = { point = [0, 0, 0], normal = [0, 0, -1] }\n'
        grain = '[[bodies]]\nradius = 0.01\nmaterial = "glass"\nposition = [0, 0, 0.1]\n'
        for name, interval, is_far in (("apart", 0.25, True), ("near", 0.02, False)):
            run = made(f"frames_{name}", HEAD.format(step=0.01, end=0.5, gravity=[0, 0, -9.81], interval=interval) + grain + plane)
            said = scree("measure", run, "-q")
            self.assertEqual("between two frames, 0.25 s, " in said and "46 diameters: 'out' see" in said, is_far, said)
            self.assertEqual("warning: " in said, is_far, said)

    # Files.

    def test_statistics(self):
        """measurements.json has mean, deviation, median, least, largest and last of each column of the tables."""
        run = made("bed", BED)
        out = tempfile.mkdtemp(dir=ROOT)
        printed = scree("measure", run, "-o", out, "-q", "--json", "--overwrite")
        for folder, source in ((run, "run"), (out, "frames")):
            with open(os.path.join(folder, "measurements.json"), encoding="utf-8") as file:
                text = file.read()
            said = json.loads(text)
            self.assertEqual(said["source"], source)
            if folder == out:
                self.assertEqual(json.loads(printed), said)
            self.assertEqual(len(said["measurements"]), BED_MEASURES.count("[[measurements]]"))
            for name, measurement in said["measurements"].items():
                got = table(folder, f"measured_{name}.csv")
                self.assertEqual(list(measurement["quantities"]), list(got)[1:], name)
                self.assertEqual(measurement["samples"], len(got["time_s"]))
                self.near(measurement["to_s"], got["time_s"][-1])
                for column, value in measurement["quantities"].items():
                    x = got[column][np.isfinite(got[column])]
                    if not len(x):
                        self.assertIsNone(value["mean"])
                        continue
                    size = np.abs(x).max()
                    expected = {"mean": x.mean(), "median": np.median(x), "least": x.min(), "p01": np.percentile(x, 1), "p99": np.percentile(x, 99), "largest": x.max()}
                    if len(x) > 1:
                        expected["deviation"] = x.std(ddof=1)
                    for key, wanted in expected.items():
                        self.near(value[key], wanted, 1e-9, 1e-9 * size, (name, column, key))
                    if math.isfinite(got[column][-1]):
                        self.assertEqual(value["last"], got[column][-1], (name, column))
                    if value["independent"] and value["error"]:  # that many values with this deviation
                        wanted = value["deviation"] / math.sqrt(value["independent"])
                        self.near(value["error"], wanted, 1e-9, 0, (name, column))

    def test_output_on_the_terminal(self):
        """A run prints the first means of each measurement at its end, `scree measure` all of them."""
        made("bed", BED)
        said = scree("run", "bed.toml", "-o", "printed", "--until", "0.1", "--threads", "1")
        for words in (r"packing\s+solid_fraction \S+ ± ", r"through\s+mass_flow_kg_s\.glass \S+ ± ",
                      r"box\s+force_x_N \S+ ± "):
            self.assertRegex(said, words)
        said = scree("measure", "bed")
        for words in (r"packing", r"solid_fraction\s+\S+ ± \S+", r"position_z_m\.50\s+\S+ ± \S+"):
            self.assertRegex(said, words)

    def test_times_of_rows(self):
        """The first row ends one interval after the beginning; each is at the first frame or step from its time on."""
        run = made("bed", BED)
        measure = 'measure = "bodies"\nbodies = [3]\nfrom = {}\nuntil = {}\ninterval = {}\n'
        for begin, end, interval in ((0.1, 0.31, 0.03), (0.0, 0.4, 0.05), (0.06, 0.4, 0.04)):
            got, _ = one(run, measure.format(begin, end, interval))
            frames = 0.02 * np.arange(21)
            number = int((end - begin) / interval + 1e-6)
            wanted = [frames[frames > begin + interval * (k + 1) - 1e-9][0] for k in range(number)]
            self.near(got["time_s"], [t for t in wanted if t < end + 1e-9], 1e-9)

    def test_rows_of_a_run_end_with_the_nearest_step(self):
        """Intervals that are no multiple of the step: rows within half a step of their end, one per interval."""
        measure = 'measure = "bodies"\nbodies = [3]\nfrom = {}\nuntil = {}\ninterval = {}\n'
        scene = BED.split("[[measurements]]", maxsplit=1)[0] + '[[measurements]]\nname = "it"\n'
        done = made("rows", scene + measure.format(0.1, 0.2, 0.0105))
        ends = 0.1 + 0.0105 * np.arange(1, 10)
        self.near(table(done, "measured_it.csv")["time_s"], ends, 0, 0.0005 + 1e-9)

    def test_frames_give_the_results_of_the_run(self):
        """Every table of the run except steps, from frames at the end of its rows: to single precision."""
        run = made("bed", BED)
        out = tempfile.mkdtemp(dir=ROOT)
        scree("measure", run, "-o", out, "-q", "--overwrite")
        files = [name for name in os.listdir(run) if name.startswith(("measure", "distribution"))]
        self.assertEqual(sorted(os.listdir(out)), sorted(files))
        for name in ("top", "mixed", "two", "pairs", "layers"):
            got, during = table(out, f"measured_{name}.csv"), table(run, f"measured_{name}.csv")
            self.assertEqual(list(got), list(during))
            for column in got:
                size = np.nanmax(np.abs(during[column]), initial=0)
                self.near(got[column], during[column], 2e-6, 2e-6 * size, (name, column))
        for name in ("top", "pairs", "layers"):
            got, during = table(out, f"distribution_{name}.csv"), table(run, f"distribution_{name}.csv")
            for column in got:
                size = np.nanmax(np.abs(during[column]), initial=0)
                self.near(got[column], during[column], 2e-6, 2e-6 * size, (name, column))

    def near_tables(self, got, during, relative, name, left_out=()):
        self.assertEqual(list(got), list(during))
        for column in got:
            if not column.startswith(left_out or ("-",)):
                kind = [other for other in during if other[:7] == column[:7]]
                size = max(np.nanmax(np.abs(during[other]), initial=0) for other in kind)
                self.near(got[column], during[column], relative, relative * size, (name, column))

    def test_scenes_far_from_the_origin_and_sleepers(self):
        """Frames with an origin; contacts of sleeping bodies: the same values as in the run."""
        for name, more in (("far", ["--set", "origin=[1.0,-2.0,0.5]"]),
                           ("asleep", ["--set", "sleep.speed=0.2", "--set", "sleep.duration=0.03", "--until", "1.5",
                                       "--set", "boundaries[1].motion[0].amplitude=1e-12"])):
            run = made(name, BED, *more)
            out = tempfile.mkdtemp(dir=ROOT)
            scree("measure", run, "-o", out, "-q", "--overwrite")
            for table_name in ("packing", "top", "mixed", "two", "layers", "pairs"):
                with self.subTest(name=name, table=table_name):
                    got, during = (table(folder, f"measured_{table_name}.csv") for folder in (out, run))
                    self.near_tables(got, during, 1e-4, name, ("mu", "inertial_number", "normal_stress", "shear_rate"))
            for table_name in ("stays", "part"):  # another test checks the share at rest
                got, during = table(out, f"measured_{table_name}.csv"), table(run, f"measured_{table_name}.csv")
                for column in ("inside", "entered", "bodies_in_region", "mass_in_region_kg"):
                    if column in got and (table_name == "part" or column == "inside"):
                        self.near(got[column], during[column], 1e-9, 0, (name, column))
        self.assertGreater(table(made("asleep", BED), "steps.csv")["asleep"][-1], 10)

    def test_frames_without_contacts(self):
        """Columns of contacts are empty if none were written; the others are unchanged."""
        run = made("sparse", BED, "--set", "output.contacts_interval=0.1")
        low, high = [-0.15, -0.17, 0.0], [0.16, 0.14, 0.1]
        measure = f'measure = "bulk"\nregion = {{ type = "box", low = {low}, high = {high} }}'
        got, whole = one(run, measure)[0], one(made("bed", BED), measure)[0]
        with h5py.File(os.path.join(run, "trajectory.h5")) as file:
            recorded = file["contacts/recorded"][1:].astype(bool)
        self.assertTrue(0 < recorded.sum() < len(recorded))
        for column in ("bodies", "mass_kg", "solid_fraction", "temperature_m2_s2", "shear_rate_1_s", "velocity_x_m_s"):
            self.near(got[column], whole[column], 1e-12, 0, column)
        for column in ("contact_number", "stress_xx_Pa", "pressure_Pa", "mu"):
            self.near(got[column][recorded], whole[column][recorded], 1e-12, 0, column)
            self.assertTrue(np.all(np.isnan(got[column][~recorded])), (column, got[column]))

    def test_chosen_frames(self):
        """--from, --until, --every and --time select frames; each selected frame is a row."""
        run = made("bed", BED)
        text = 'measure = "bodies"\nbodies = [3]\n'
        every = one(run, text)[0]
        for options, wanted in ((("--from", "0.1", "--until", "0.2"), lambda t: (t > 0.099) & (t < 0.201)),
                                (("--time", "0.1", "0.2", "0.4"), lambda t: np.isin(np.round(t, 6), [0.1, 0.2, 0.4]))):
            got = one(run, text, *options)[0]
            for column in got:
                a, b = got[column], every[column][wanted(every["time_s"])]
                # The page does not define the first row, if the first frame only begins it.
                self.near(a[len(a) - len(b) + 1:] if len(a) >= len(b) else a, b[1:], 1e-12, 0, (options, column))

    def test_a_run_that_is_gone_on_with(self):
        """Stopped between two rows, or killed: tables, distributions and means are the same to the last byte."""
        run = made("bed", BED)
        files = [name for name in sorted(os.listdir(run)) if name.startswith(("measure", "distribution"))]
        self.assertGreater(len(files), 14)
        parted = os.path.join(ROOT, "parted")
        scree("run", "bed.toml", "-o", parted, "-q", "--threads", "1", "--until", "0.113")
        scree("run", "--resume", parted, "-q", "--threads", "1", "--until", "0.4")
        killed = os.path.join(ROOT, "killed")
        command = [PROGRAM, "run", "bed.toml", "-o", killed, "-q", "--threads", "1", "--set", "checkpoints.steps=20"]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        folder = os.path.join(killed, "checkpoints")
        until = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < until:
            if os.path.isdir(folder) and "step_000000059" < max(os.listdir(folder), default=""):
                break
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.wait()
        scree("run", "--resume", killed, "-q", "--threads", "1")
        for folder in (parted, killed):
            for name in files:
                with self.subTest(folder=os.path.basename(folder), name=name):
                    texts = []
                    for place in (run, folder):
                        with open(os.path.join(place, name), "rb") as file:
                            texts.append(file.read())
                    self.assertEqual(*texts)

    def test_verify_and_compare(self):
        """A changed digit in a measured table is reported, and so is the place where two runs differ."""
        run = made("bed", BED)
        copy = os.path.join(ROOT, "copy")
        shutil.copytree(run, copy, dirs_exist_ok=True)
        said = scree("verify", copy)
        for name in ("packing", "through", "two"):
            self.assertRegex(said, rf"measured_{name}\.csv\s+intact")
        scree("compare", run, copy)
        for name in ("measured_two.csv", "measured_stays.csv"):
            with self.subTest(name):
                path = os.path.join(copy, name)
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                at = text.rindex(".") + 1
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1:])
                self.assertIn(name, scree("verify", copy, status=6))
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                scree("verify", copy)
        path = os.path.join(copy, "measured_two.csv")
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines(True)
        fields = lines[11].split(",")
        fields[3] = "0.125"
        lines[11] = ",".join(fields)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines)
        done = subprocess.run([PROGRAM, "compare", run, copy], capture_output=True, text=True, timeout=60, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"measured_two\.csv.*position_z_m\.3.*0\.125")

    def test_nothing_is_written_over(self):
        """Without -o no file is written; into a folder with tables only with --overwrite."""
        run = made("bed", BED)
        before = {name: os.path.getmtime(os.path.join(run, name)) for name in os.listdir(run)}
        scree("measure", run, "-q")
        self.assertEqual(before, {name: os.path.getmtime(os.path.join(run, name)) for name in os.listdir(run)})
        scree("measure", run, "-q", "-o", "tables")
        self.assertIn("--overwrite", scree("measure", run, "-q", "-o", "tables", status=4))
        scree("measure", run, "-q", "-o", "tables", "--overwrite")

    # Errors.

    def error_series(self, columns):
        """The program's output for series: a run of one ball, with a new table of steps from these columns."""
        number = len(next(iter(columns.values())))
        scene = HEAD.format(step=0.001, end=number / 1000, gravity=[0, 0, 0], interval=0.001) + """
[[bodies]]
radius = 0.01
material = "glass"
position = [0, 0, 0]
"""
        run = made(f"series{number}", scene)
        with open(os.path.join(run, "steps.csv"), encoding="utf-8") as file:
            rows = list(csv.reader(file))
        for column, values in columns.items():
            at = rows[0].index(column)
            for row, value in zip(rows[1:], values):
                row[at] = repr(float(value))
        text = "".join(",".join(row) + "\n" for row in rows)
        copy = tempfile.mkdtemp(dir=ROOT)
        shutil.copytree(run, copy, dirs_exist_ok=True)
        with open(os.path.join(copy, "steps.csv"), "w", encoding="utf-8") as file:
            file.write(text)
        tables, said = measured(copy, '[[measurements]]\nname = "it"\nmeasure = "quantity"\ninterval = 0.001\n'
                                      f"quantities = {json.dumps(list(columns))}\n")
        self.assertEqual(len(tables["it"]["time_s"]), number)
        return said["measurements"]["it"]["quantities"]

    def test_errors_of_series_with_memory(self):
        """Series with memory: the error of their mean is known, and the estimate is within its own scatter."""
        names = ["kinetic_energy_J", "potential_energy_J", "elastic_energy_J", "momentum_x_kg_m_s", "momentum_y_kg_m_s",
                 "momentum_z_kg_m_s", "angular_momentum_x_kg_m2_s", "angular_momentum_y_kg_m2_s"]
        random = np.random.default_rng(5)
        for memory in (0.0, 0.8, 0.95):
            x = series(memory, len(names), 4000, random)
            got = self.error_series(dict(zip(names, x)))
            true = math.sqrt(1 / (1 - memory)**2 / x.shape[1])
            found = np.array([got[name]["error"] for name in names])
            self.near(found.mean(), true, 0.15, 0, (memory, found / true))
            self.near(found, np.full(len(names), true), 0.1 if memory == 0 else 0.4, 0, (memory, found / true))
            for name, row in zip(names, x):
                self.near(got[name]["independent"], (got[name]["deviation"] / got[name]["error"])**2, 1e-9)
                self.near(got[name]["mean"], row.mean(), 1e-9, 1e-12)

    def test_errors_of_slow_changes_under_noise(self):
        """Noise on a process with a memory of 33 of 4000 rows; the mean of a rising series is not known better."""
        random = np.random.default_rng(5)
        names = ["momentum_x_kg_m_s", "momentum_y_kg_m_s", "momentum_z_kg_m_s", "angular_momentum_x_kg_m2_s",
                 "angular_momentum_y_kg_m2_s", "angular_momentum_z_kg_m2_s"]
        x = series(0.97, len(names), 4000, random) + 15 * random.normal(size=(len(names), 4000))
        got = self.error_series(dict(zip(names, x)))
        true = math.sqrt((1 / 0.03**2 + 15**2) / 4000)
        ratio = np.array([got[name]["error"] for name in names]) / true
        with self.subTest("noise"):
            self.near(ratio.mean(), 0.8, 0.25, 0, ratio)  # as the page states: too small by a fifth
        with self.subTest("rise"):
            got = self.error_series({"kinetic_energy_J": np.linspace(0, 1, 200)})["kinetic_energy_J"]
            self.near(got["drift"], 0.5, 0.01)
            self.assertGreater(got["drift"], 6 * got["error"])

    # Mistakes.

    def refused(self, text, *words, run=None):
        """Status 3, with the file and the line."""
        run = run or made("bed", BED)
        write("wrong.toml", text)
        said = scree("measure", run, "--with", "wrong.toml", status=3)
        self.assertRegex(said, r"wrong\.toml:\d+:", said)
        for word in words:
            self.assertRegex(said, word)
        line = int(re.search(r"wrong\.toml:(\d+):", said).group(1))
        self.assertTrue(1 <= line <= text.count("\n") + 1, said)
        return line

    def test_mistakes(self):
        """Errors give the file, the line and a suggestion."""
        head = '[[measurements]]\nname = "it"\n'
        plane = "{ point = [0, 0, 0], normal = [0, 0, 1] }"
        region = 'region = { type = "box", low = [0, 0, 0], high = [1, 1, 1] }\n'
        head += 'measure = "quantity"\n'
        self.assertEqual(self.refused(head + 'quantities = ["kinetic_energy"]\n', "kinetic_energy_J"), 4)
        self.assertEqual(self.refused(head + 'boundary = "box"\nquantities = ["force_zN"]\n', "force_z_N"), 5)
        head = '[[measurements]]\nname = "it"\n'
        cases = [
            ('measure = "quantity"\nboundary = "bx"\nquantities = ["force_z_N"]\n', "bx"),
            ('measure = "quantity"\nboundary = "box"\nquantities = ["mass_in_region_kg"]\n', "mass_in_region_kg"),
            ('measure = "quantity"\nquantities = ["mass_kg"]\nopening = "drain"\n', "drain"),
            ('measure = "flow"\nopening = "drain"\n', "drain"),
            ('measure = "quantity"\nquantities = []\n', "quantities"),
            ('measure = "quantity"\nquantities = ["kinetic_energy_J", "mass_in_region_kg"]\n' + region, "one kind"),
            ('measure = "residence"\n', "region"),
            ('measure = "profile"\n', "region"),
            ('measure = "flow"\n', "plane|opening"),
            (f'measure = "flow"\nplane = {plane}\nopening = "drain"\n', "opening|plane"),
            (f'measure = "flow"\nplane = {plane}\nplane = {plane}\n', "plane"),
            (f'measure = "flow"\nplane = {plane}\nover = {plane}\n', "over"),
            (f'measure = "flow"\nplane = {plane}\nby = "size"\n', "sizes"),
            (f'measure = "flow"\nplane = {plane}\nby = "place"\n', "place|by"),
            (f'measure = "flow"\nplane = {plane}\nby = "material"\nsizes = [0.1]\n', "sizes"),
            (f'measure = "flow"\nplane = {plane}\nby = "size"\nsizes = [0.2, 0.1]\n', "sizes"),
            ('measure = "flow"\nplane = { point = [0, 0, 0], normal = [0, 0, 0] }\n', "normal"),
            ('measure = "flow"\nplane = { point = [0, 0, 0] }\n', "normal"),
            ('measure = "mixing"\n', "by"),
            ('measure = "mixing"\nby = "size"\n', "sizes"),
            ('measure = "bulk"\n' + region + "along = [0, 0, 0]\n", "along"),
            ('measure = "bulk"\n' + region + "along = [0, 0, 1]\n", "along|up"),
            ('measure = "bulk"\n' + region + "rattlers_below = 0\n", "rattlers_below"),
            ('measure = "bulk"\nregion = { type = "box", low = [0, 0, 0], high = [1, -1, 1] }\n', "low|high"),
            ('measure = "bodies"\n', "bodies"),
            ('measure = "screening"\n' + f"plane = {plane}\naperture = 0.01\n", "over"),
            ('measure = "screening"\n' + f"plane = {plane}\nover = {plane}\n", "aperture"),
            ('measure = "surface"\nfit_from = 0.9\nfit_to = 0.1\n', "fit"),
            ('measure = "bulk"\nfrom = 0.3\nuntil = 0.2\n' + region, "from|until"),
            ('measure = "bulk"\ninterval = 0\n' + region, "interval"),
            ('measure = "bulc"\n' + region, "bulk"),
            ('measure = "bulk"\nregoin = 1\n', "region"),
        ]
        for text, words in cases:
            with self.subTest(text):
                self.refused(head + text, words)
        with self.subTest("by at an opening"):
            text = head + 'measure = "flow"\nopening = "drain"\nby = "material"\n'
            self.refused(text, "by", run=made("chute", CHUTE))
        with self.subTest("an opening that is not there"):
            self.refused(head + 'measure = "flow"\nopening = "drian"\n', "drain", run=made("chute", CHUTE))
        with self.subTest("names"):
            self.refused('[[measurements]]\nname = "a/b"\nmeasure = "bulk"\n' + region, "name")
            self.refused(2 * (head + 'measure = "bulk"\n' + region), "it")

    def test_mistakes_of_a_scene(self):
        """The same in a scene: `scree check` and `scree run` report them before any work."""
        wrong = BED.replace('"power_W", ', '"powerW", ')
        write("mistake.toml", wrong)
        line = 1 + wrong[:wrong.index('"powerW"')].count("\n")
        for command in (("check", "mistake.toml"), ("run", "mistake.toml", "-o", "never")):
            said = scree(*command, status=3)
            self.assertIn(f"mistake.toml:{line}:", said)
            self.assertIn("power_W", said)
        self.assertFalse(os.path.exists(os.path.join(ROOT, "never")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

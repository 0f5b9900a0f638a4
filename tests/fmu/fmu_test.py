"""Units: the files of `scree fmu`, and their behaviour in a C program.

    fmu_test.py SCREE DRIVER SOURCE_FOLDER C_COMPILER [Unit.test_...]
"""
import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import xml.etree.ElementTree
import zipfile

SCREE, DRIVER, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
COMPILER = sys.argv[4]
PADDLE = SOURCE / "scenes/cosimulation/paddle.toml"
FUNCTIONS = """GetTypesPlatform GetVersion SetDebugLogging Instantiate FreeInstance SetupExperiment EnterInitializationMode
ExitInitializationMode Terminate Reset GetReal GetInteger GetBoolean GetString SetReal SetInteger SetBoolean SetString
GetFMUstate SetFMUstate FreeFMUstate SerializedFMUstateSize SerializeFMUstate DeSerializeFMUstate GetDirectionalDerivative
SetRealInputDerivatives GetRealOutputDerivatives DoStep CancelStep GetStatus GetRealStatus GetIntegerStatus
GetBooleanStatus GetStringStatus"""

FALLING = """name = "falling"
time_step = 0.001
end_time = 0.02
materials = [{ name = "m", density = 1000 }]
bodies = [{ position = [0, 0, 1], semi_axes = [0.1, 0.1, 0.1] }]
"""
ENDING = """time_step = "adaptive"
end_time = 1
materials = [{ name = "m", density = 1000 }]
bodies = [{ position = [0, 0, 1], semi_axes = [0.1, 0.1, 0.1] }]
events = [{ name = "100 % done", quantity = "time_s", rises_above = 0.05, stop = true }]
"""


class Unit(unittest.TestCase):
    def setUp(self):
        self.kept = tempfile.TemporaryDirectory(prefix="a name with # and % ")
        self.addCleanup(self.kept.cleanup)
        self.folder = pathlib.Path(self.kept.name)

    def scree(self, *arguments, status=0):
        done = subprocess.run([str(a) for a in (SCREE, *arguments)], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, status, done)
        return done

    def unit(self, scene=PADDLE, name="unit"):
        """Writes and unpacks a unit; returns its folder and its description."""
        self.scree("fmu", scene, "-o", f"{name}.fmu", "--overwrite")
        with zipfile.ZipFile(self.folder / f"{name}.fmu") as archive:
            archive.extractall(self.folder / name)
        return self.folder / name, xml.etree.ElementTree.parse(self.folder / name / "modelDescription.xml").getroot()

    def drive(self, case, folder, description, *more, status=0, guid=None):
        (library,) = (folder / "binaries/linux64").iterdir()
        references = [f"{v.get('name')}={v.get('valueReference')}" for v in description.iter("ScalarVariable")]
        resources = "file://" + urllib.parse.quote(str(folder / "resources"))
        done = subprocess.run([str(a) for a in (DRIVER, case, library, resources, guid or description.get("guid"), *(more or references))],
                              capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, status, done)
        return done.stdout

    def scene(self, text, name="scene.toml"):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def test_description_keeps_the_rules(self):
        """The rules of FMI 2.0 that a schema cannot express, and the rules of the schema that apply."""
        folder, root = self.unit()
        self.assertEqual(root.tag, "fmiModelDescription")
        self.assertEqual(root.get("fmiVersion"), "2.0")
        self.assertRegex(root.get("guid"), r"^\{[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}$")
        self.assertEqual([child.tag for child in root], ["CoSimulation", "UnitDefinitions", "LogCategories", "DefaultExperiment",
                                                         "ModelVariables", "ModelStructure"])
        identifier = root.find("CoSimulation").get("modelIdentifier")
        self.assertRegex(identifier, r"^[A-Za-z_][A-Za-z0-9_]*$")
        self.assertTrue((folder / f"binaries/linux64/{identifier}.so").is_file())
        experiment = root.find("DefaultExperiment")
        self.assertEqual((experiment.get("startTime"), experiment.get("stopTime"), experiment.get("stepSize")), ("0", "1", "0.001"))

        variables = root.findall("ModelVariables/ScalarVariable")
        for attribute in ("name", "valueReference"):
            values = [v.get(attribute) for v in variables]
            self.assertEqual(len(values), len(set(values)))
        units = {u.get("name"): {k: int(x) for k, x in u.find("BaseUnit").attrib.items()} for u in root.iter("Unit")}
        self.assertEqual(units["N"], {"kg": 1, "m": 1, "s": -2})
        self.assertEqual(units["N.m"], {"kg": 1, "m": 2, "s": -2})
        self.assertEqual(units["rad/s"], {"rad": 1, "s": -1})
        outputs = []
        for index, variable in enumerate(variables, start=1):
            (kind,) = variable
            pair = (variable.get("causality"), variable.get("variability"))
            allowed = {("input", "continuous"), ("output", "continuous"), ("output", "discrete"), ("parameter", "fixed")}
            self.assertIn(pair, allowed)
            self.assertTrue(kind.tag == "Real" or pair[1] != "continuous")
            self.assertEqual(kind.get("start") is not None, pair[0] != "output", variable.attrib)
            self.assertIn(kind.get("unit"), {None, *units})
            if pair[0] == "output":
                outputs.append(str(index))
        for part in ("Outputs", "InitialUnknowns"):
            self.assertEqual([u.get("index") for u in root.findall(f"ModelStructure/{part}/Unknown")], outputs)

        by_name = {v.get("name"): v for v in variables}
        self.assertEqual({n for n, v in by_name.items() if v.get("causality") == "input"}, {"shaft.motor", "lid.force"})
        self.assertEqual(by_name["shaft.motor"][0].get("unit"), "N.m")
        self.assertEqual(by_name["lid.force"][0].get("unit"), "N")
        for name in ("shaft.coordinate", "shaft.rate", "shaft.motor_force", "shaft.torque_z_N_m", "bin.-z.force_z_N", "blades.torque_z_N_m",
                     "lid.travel", "lid.rate", "lid.contact_force", "paddle.position_z_m", "kinetic_energy_J", "bodies", "residual_rms_m_s", "not_converged"):
            self.assertEqual(by_name[name].get("causality"), "output", name)
        self.assertEqual(by_name["not_converged"][0].tag, "Integer")
        self.assertEqual(by_name["bodies"][0].tag, "Integer")

    def test_archive_is_whole_and_the_same_again(self):
        self.scree("fmu", PADDLE, "-o", "one.fmu")
        self.scree("fmu", PADDLE, "-o", "two.fmu")
        self.assertEqual((self.folder / "one.fmu").read_bytes(), (self.folder / "two.fmu").read_bytes())
        with zipfile.ZipFile(self.folder / "one.fmu") as archive:
            self.assertIsNone(archive.testzip())
            self.assertEqual(sorted(archive.namelist()), ["binaries/linux64/paddle.so", "documentation/licenses/LICENSE",
                                                          "modelDescription.xml", "resources/blades.obj", "resources/scene.toml"])
            self.assertEqual(archive.read("resources/scene.toml"), PADDLE.read_bytes())
            self.assertEqual(archive.read("resources/blades.obj"), (PADDLE.parent / "blades.obj").read_bytes())

    def test_exports_its_functions_alone(self):
        library = SCREE.parent / "libscree_fmu.so"
        listed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
        names = [line.split()[-1] for line in listed.splitlines()]
        names = [name for name in names if "5GiNaC" not in name]  # definitions of that library's headers must be merged
        self.assertEqual(sorted(names), sorted("fmi2" + name for name in FUNCTIONS.split()))

    def test_models_drive_it(self):
        """In each step the digits of the run's tables, also of the model's variables, and the same final bits."""
        if subprocess.run([str(SCREE), "model", "--help"], capture_output=True).returncode == 11:
            self.skipTest("no declarative models in this program")
        folder, root = self.unit(SOURCE / "scenes/machines/press.toml")
        self.scree("run", SOURCE / "scenes/machines/press.toml", "-q", "--until", 0.1, "-o", "run")
        references = {v.get("name"): v.get("valueReference") for v in root.iter("ScalarVariable")}
        names = ["oil.force", "oil.p", "cylinder.coordinate", "threads", "state_hash"]
        *rows, state = self.drive("follow", folder, root, *(f"{n}={references[n]}" for n in names), "steps=100", "size_us=1000").splitlines()
        with open(self.folder / "run/models.csv", newline="") as file:
            expected = [[float(row[n]) for n in ("oil.force", "oil.p", "oil.way")] for row in csv.DictReader(file)]
        self.assertEqual([[float(x) for x in row.split()] for row in rows], expected)
        self.assertGreater(expected[-1][1], 1e4)
        self.assertEqual(state, json.loads((self.folder / "run/summary.json").read_text())["state_hash"])

    def test_follows_the_run(self):
        """In each step the digits of the tables, and the run's final bits; longer steps give the same bits."""
        folder, root = self.unit()
        steps = 300
        self.scree("run", PADDLE, "-q", "--until", steps * 0.001, "-o", "run")
        names = ["shaft.coordinate", "shaft.torque_z_N_m", "shaft.force_z_N", "bin.-z.force_z_N", "blades.torque_z_N_m", "lid.travel", "lid.contact_force"]
        references = {v.get("name"): v.get("valueReference") for v in root.iter("ScalarVariable")}
        pairs = [f"{name}={references[name]}" for name in (*names, "threads", "state_hash")]

        def follow(steps, size_us):
            lines = self.drive("follow", folder, root, *pairs, f"steps={steps}", f"size_us={size_us}").splitlines()
            return [[float(word) for word in line.split()] for line in lines[:-1]], lines[-1]

        expected = {}
        for table, part in (("joints", "joint"), ("boundaries", "boundary"), ("parts", "part")):
            with open(self.folder / f"run/{table}.csv", newline="") as file:
                for row in csv.DictReader(file):
                    for name in names:
                        of, quantity = name.rsplit(".", 1)
                        if row[part] == of and quantity in row:
                            expected[int(row["step"]), name] = float(row[quantity])
        rows, state = follow(steps, 1000)
        self.assertEqual(len(rows), steps)
        for step, row in enumerate(rows, start=1):
            for name, value in zip(names, row):
                self.assertEqual(value, expected[step, name], (step, name))
        self.assertTrue(any(row[3] < -1 for row in rows))  # grains have come down
        self.assertEqual(state, json.loads((self.folder / "run/summary.json").read_text())["state_hash"])

        # Ten steps at once: forces are the means of ten, up to rounding; positions are those of the last.
        coarse, coarse_state = follow(steps // 10, 10000)
        self.assertEqual(coarse_state, state)
        for k, row in enumerate(coarse):
            last, ten = rows[10 * k + 9], rows[10 * k:10 * k + 10]
            for i, name in enumerate(names):
                if name.endswith((".coordinate", ".travel")):
                    self.assertEqual(row[i], last[i])
                else:
                    self.assertAlmostEqual(row[i], sum(one[i] for one in ten) / 10, delta=1e-12 * max(1, *(abs(one[i]) for one in ten)))

    def test_control(self):
        self.drive("control", *self.unit())

    def test_rollback(self):
        self.drive("rollback", *self.unit())

    def test_two_instances(self):
        self.drive("two", *self.unit())

    def test_loaded_again(self):
        self.drive("reload", *self.unit())

    def test_mistakes(self):
        self.drive("mistakes", *self.unit())

    def test_faults_have_their_place(self):
        folder, root = self.unit(self.scene(FALLING))
        scene = folder / "resources/scene.toml"
        scene.write_text(FALLING.replace("density = 1000", "density = -1"))
        told = self.drive("faulty", folder, root)
        self.assertIn("scene.toml:4:", told)
        self.assertIn("density", told)
        scene.write_text(FALLING.replace("[0, 0, 1]", "[0, 0, 2]"))
        self.assertIn("guid", self.drive("faulty", folder, root))

    def test_ends_and_any_step(self):
        self.drive("ends", *self.unit(self.scene(ENDING)))

    def test_the_files_it_needs_go_with_it(self):
        """Files below the scene's folder are found in the unpacked unit, without this folder; the guid covers them."""
        (self.folder / "here/parts").mkdir(parents=True)
        shutil.copy(PADDLE.parent / "blades.obj", self.folder / "here/parts/blades.obj")
        text = PADDLE.read_text().replace("blades.obj", "parts/blades.obj")
        unit = self.unit(self.scene(text, "here/paddle.toml"))
        shutil.rmtree(self.folder / "here")
        self.drive("two", *unit)
        mesh = unit[0] / "resources/parts/blades.obj"
        mesh.write_text(mesh.read_text().replace("0.05", "0.06"))
        self.assertIn("guid", self.drive("faulty", *unit))

    def test_command_reports_errors(self):
        (self.folder / "deep").mkdir()
        shutil.copy(PADDLE.parent / "blades.obj", self.folder / "blades.obj")
        text = PADDLE.read_text()
        outside = self.scene(text.replace("blades.obj", "../blades.obj"), "deep/outside.toml")
        self.assertIn("outside the folder of the scene", self.scree("fmu", outside, "-o", "x.fmu", status=6).stderr)
        whole = self.scene(text.replace("blades.obj", str(self.folder / "blades.obj")), "whole.toml")
        self.assertIn("has an absolute path in the scene", self.scree("fmu", whole, "-o", "x.fmu", status=6).stderr)
        bad = self.scene(FALLING.replace("density = 1000", "density = -1"))
        self.assertIn("scene.toml:4:", self.scree("fmu", bad, "-o", "x.fmu", status=3).stderr)
        good = self.scene(FALLING)
        self.assertIn("no folder", self.scree("fmu", good, "-o", "nowhere/x.fmu", status=4).stderr)
        self.assertFalse((self.folder / "x.fmu").exists())
        told = self.scree("fmu", good).stdout
        self.assertIn("falling.fmu: 0 inputs", told)
        self.assertIn("whole multiples of 0.001 s", told)
        self.assertIn("--overwrite", self.scree("fmu", good, status=4).stderr)
        self.scree("fmu", good, "--overwrite")

    def test_documented_driver(self):
        """The driver of docs/cosimulation.md, without changes."""
        page = (SOURCE / "docs/cosimulation.md").read_text(encoding="utf-8")
        (text,) = re.findall(r"^```c\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
        _, root = self.unit(name="paddle")
        for name, number in re.findall(r"/\* (\S+) \*/\s*(\d+)", text):
            (variable,) = (v for v in root.iter("ScalarVariable") if v.get("name") == name)
            self.assertEqual(variable.get("valueReference"), number, name)
        (self.folder / "driver.c").write_text(text, encoding="utf-8")
        subprocess.run([COMPILER, "-std=c99", "-Wall", "-Wextra", "-Werror", f"-I{SOURCE / 'io/fmu'}", "driver.c", "-o", "driver", "-ldl"],
                       cwd=self.folder, check=True)
        done = subprocess.run(["./driver", root.get("guid")], cwd=self.folder, capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, done)
        rates = [float(line.split()[-2]) for line in done.stdout.splitlines()]
        self.assertEqual(len(rates), 10)
        self.assertAlmostEqual(sum(rates[5:]) / 5, 4, delta=1)  # of single times, with the resistance of grains


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]], verbosity=2)

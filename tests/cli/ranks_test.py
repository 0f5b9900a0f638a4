"""Runs by several processes against runs by one: ranks_test.py <scree> <source folder> [Ranks.test_name ...]

Ranks share the cores of this machine, for any number of cores."""
import glob
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, SOURCE = sys.argv[1:3]
LAUNCHER = ["mpirun", "--oversubscribe", "--bind-to", "none"]
ENVIRONMENT = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}


def children_of(process):
    """Process ids in rising order."""
    children = []
    for stat in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(stat) as file:
                number, rest = file.read().split(" (", 1)
        except OSError:  # it has ended
            continue
        if int(rest.rsplit(") ", 1)[1].split()[1]) == process:
            children.append(int(number))
    return sorted(children)


KICKS = """
name = "kicks"
time_step = 0.001
end_time = 0.8
rest_speed = 0.05
[output]
interval = 0.05
[[materials]]
name = "rough"
density = 2500
friction = 0.4
restitution = 0.3
[[materials]]
name = "slick"
density = 2500
friction = 0.0
[[bodies]]
material = "rough"
generate = "random"
count = 2400
semi_axes = [0.01, 0.008, 0.007]
region = { type = "box", low = [0, 0, 0], high = [0.25, 0.25, 1.0] }
[[boundaries]]
name = "box"
type = "box"
material = "rough"
low = [0, 0, 0]
high = [0.25, 0.25, 2]
open = ["+z"]
[[events]]
name = "kick"
expression = "z - 0.4"
body = 15
falls_below = 0
set_velocity = ["0.5", "vy", "2 + 0.1 * vz"]
[[events]]
name = "meet"
expression = "z - oz"
body = 2300
other_body = 10
falls_below = 0.2
record = true
[[events]]
name = "slick"
quantity = "time_s"
rises_above = 0.35
change_material = ["rough", "slick"]
[[events]]
name = "tilt"
quantity = "share_at_rest"
rises_above = 0.01
gravity = [3, 0, -9]
"""


class Ranks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Skips all tests if no launcher can start two processes on this machine."""
        done = subprocess.run([*LAUNCHER, "-n", "2", "true"], env=ENVIRONMENT, capture_output=True, text=True)
        if done.returncode != 0:
            raise unittest.SkipTest("mpirun cannot start processes here: " + done.stderr[-500:])

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def scene(self, name):
        return os.path.join(SOURCE, "scenes", name)

    def run_by(self, ranks, *arguments, check=True):
        """By the given number of ranks; 0: alone, without a launcher."""
        launcher = LAUNCHER + ["-n", str(ranks)] if ranks else []
        done = subprocess.run([*launcher, PROGRAM, "run", "-q", *arguments], env=ENVIRONMENT, capture_output=True,
                              text=True, timeout=300)
        if check:
            self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def summary(self, name):
        with open(os.path.join(self.path(name), "summary.json")) as file:
            return json.load(file)

    def expect_same(self, one, other):
        done = subprocess.run([PROGRAM, "compare", self.path(one), self.path(other)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("the runs are the same", done.stdout)
        self.assertEqual(self.summary(one)["state_hash"], self.summary(other)["state_hash"])
        self.assertEqual(self.summary(one)["verdict"], self.summary(other)["verdict"])

    def compare_ranks(self, scene, until, *settings, by=((2, 1), (3, 2), (8, 1))):
        arguments = [self.scene(scene), "--until", str(until)]
        for setting in settings:
            arguments += ["--set", setting]
        self.run_by(0, *arguments, "-o", self.path("alone"))
        for ranks, threads in by:
            name = f"{ranks}x{threads}"
            self.run_by(ranks, *arguments, "--threads", str(threads), "-o", self.path(name))
            self.expect_same("alone", name)

    def test_box(self):
        self.compare_ranks("settling_box_8000/settling_box_8000.toml", 0.2,
                           by=[(r, t) for r in (1, 2, 3, 4, 8) for t in (1, 2)])

    def test_tube(self):
        self.compare_ranks("inclined_tube/inclined_tube.toml", 0.3)

    def test_mill(self):
        self.compare_ranks("mill/mill.toml", 0.1)

    def test_beans(self):
        self.compare_ranks("beans/beans.toml", 0.4, by=((3, 1),))

    def test_conveyor(self):
        self.compare_ranks("conveyor/conveyor.toml", 1.2, by=((2, 1), (3, 2)))

    def test_elastic_contacts(self):
        self.compare_ranks("elastic/silo.toml", 0.2, by=((3, 1),))

    def test_cohesion(self):
        self.compare_ranks("cohesion/sandcastle.toml", 0.1, "events[0].rises_above=0.05", "bodies[0].count=2400", "bodies[0].semi_axes=[0.0008, 0.0007, 0.0007]", by=((3, 1),))

    def test_events(self):
        # A gate that opens when all is at rest, a count in a region, and the end of the run.
        self.compare_ranks("events/dam_break.toml", 1.5, by=((3, 1),))

    # A blade on a motor: joints of parts, whose bodies lie on several ranks; a mechanism of several bars, and a press that equations drive.
    def test_machines(self):
        self.compare_ranks("machines/mixer.toml", 0.3, by=((3, 1),))
        self.run_by(3, self.scene("machines/mixer.toml"), "--until", "0.2", "-o", self.path("halted"))
        self.run_by(2, "--resume", self.path("halted"), "--until", "0.3")
        self.expect_same("alone", "halted")
        for name, until in (("four_bar", "0.1"), ("press", "0.3")):
            self.run_by(0, self.scene(f"machines/{name}.toml"), "--until", until, "-o", self.path(name))
            self.run_by(2, self.scene(f"machines/{name}.toml"), "--until", until, "-o", self.path(name + " by two"))
            self.expect_same(name, name + " by two")

    def test_cell_that_holds_a_stress(self):
        self.compare_ranks("validation/sheared_spheres.toml", 0.05, "count=3000", by=((3, 1),))

    def test_chain(self):
        self.compare_ranks("machines/chain.toml", 0.04, by=((2, 1),))

    def test_bonds(self):
        self.compare_ranks("bonds/brazilian.toml", 0.0006, by=((3, 1),))
        self.run_by(3, self.scene("bonds/brazilian.toml"), "--until", "0.0004", "-o", self.path("halted"))
        self.run_by(2, "--resume", self.path("halted"), "--until", "0.0006")
        self.expect_same("alone", "halted")

    def test_wall_cells(self):
        self.compare_ranks("wear/chute.toml", 0.8, by=((3, 1),))
        names = glob.glob("vtk/*", root_dir=self.path("alone"))
        self.assertGreater(len([name for name in names if "wall_cells_" in name]), 1)
        for name in names:
            with open(os.path.join(self.path("alone"), name), "rb") as one, \
                    open(os.path.join(self.path("3x1"), name), "rb") as other:
                self.assertEqual(one.read(), other.read(), name)

    # Grains come to rest on the floor and sleep, on all ranks; other ranks go on from there.
    def test_sleep(self):
        settings = ["sleep.speed=0.3", "sleep.duration=0.01", "sleep.tolerance=1"]
        self.compare_ranks("inclined_tube/inclined_tube.toml", 2.2, *settings, by=((3, 1),))
        self.assertGreater(self.summary("alone")["asleep"], 20)
        self.run_by(3, self.scene("inclined_tube/inclined_tube.toml"), "--until", "2.1", "-o", self.path("halted"),
                    *[word for setting in settings for word in ("--set", setting)])
        self.run_by(2, "--resume", self.path("halted"), "--until", "2.2")
        self.expect_same("alone", "halted")

    # Events of one body, which one rank has, and of all of them; they change bodies and fields.
    def test_events_of_bodies(self):
        scene = self.path("kicks.toml")
        with open(scene, "w") as file:
            file.write(KICKS)
        self.compare_ranks(scene, 0.5, by=((3, 1),))
        with open(os.path.join(self.path("alone"), "events.csv")) as file:
            self.assertEqual({line.split(",")[2] for line in file.read().splitlines()[1:]}, {"kick", "meet", "slick", "tilt"})
        self.run_by(3, scene, "--until", "0.3", "-o", self.path("halted"))
        self.run_by(2, "--resume", self.path("halted"), "--until", "0.5")
        self.expect_same("alone", "halted")

    def test_periodic_cell(self):
        self.compare_ranks("cells/shear_cell.toml", 0.1)

    def test_periodic_channel(self):
        self.compare_ranks("cells/periodic_channel.toml", 0.4)

    def test_adaptive_steps_of_a_hopper(self):
        self.compare_ranks("hoppers/conical_hopper.toml", 0.3, "time_step=adaptive", by=((2, 1), (3, 1)))

    # A run of several ranks can be resumed by another number of ranks, or by one, and ends as if it had never stopped.
    def test_resumed_by_other_ranks(self):
        scene, end = self.scene("inclined_tube/inclined_tube.toml"), "0.5"
        self.run_by(0, scene, "--until", end, "-o", self.path("alone"))
        for first, then in ((3, 0), (0, 4), (2, 5)):
            name = f"{first}then{then}"
            self.run_by(first, scene, "--until", "0.3", "-o", self.path(name))
            self.run_by(then, "--resume", self.path(name), "--until", end)
            self.assertEqual(self.summary(name)["state_hash"], self.summary("alone")["state_hash"])

    # Each rank reads the checkpoint. Where only some find it, others would begin the run.
    def test_ranks_that_read_other_states_do_not_begin(self):
        scene = self.scene("inclined_tube/inclined_tube.toml")
        self.run_by(0, scene, "--until", "0.05", "-o", self.path("here"))
        arguments = [PROGRAM, "run", "-q", scene, "--until", "0.1", "--resume"]
        done = subprocess.run([*LAUNCHER, "-n", "1", *arguments, self.path("here"), ":",
                               "-n", "1", *arguments, self.path("elsewhere")],
                              env=ENVIRONMENT, capture_output=True, text=True, timeout=300)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("ranks do not begin with the same state", done.stderr)
        self.assertFalse(os.path.exists(self.path("elsewhere")))
        self.run_by(2, scene, "--until", "0.1", "--resume", self.path("here"))

    # If any rank is killed at any time, all ranks end, and the run can be resumed.
    def test_killed(self):
        scene, end = self.scene("inclined_tube/inclined_tube.toml"), "0.6"
        often = ["--set", "checkpoints.steps=20"]
        self.run_by(0, scene, "--until", end, *often, "-o", self.path("alone"))
        for seed in range(int(os.environ.get("SCREE_KILLS", "3"))):
            name = f"killed{seed}"
            running = subprocess.Popen(
                [*LAUNCHER, "-n", "3", PROGRAM, "run", "-q", scene, "--until", end, *often, "-o", self.path(name)],
                env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            choose = random.Random(seed)
            while not glob.glob(os.path.join(self.path(name), "checkpoints", "*")) and running.poll() is None:
                time.sleep(0.01)
            time.sleep(choose.uniform(0.0, 1.0))
            children = children_of(running.pid)
            if children:
                os.kill(choose.choice(children), signal.SIGKILL)
            said = running.communicate(timeout=60)[0]
            if children:
                self.assertNotEqual(running.returncode, 0)
                self.assertRegex(said, "(?i)killed|signal 9")
            self.run_by(choose.choice((0, 2, 4)), "--resume", self.path(name), "--until", end)
            self.assertEqual(self.summary(name)["state_hash"], self.summary("alone")["state_hash"])

    def test_interrupted(self):
        scene = self.scene("inclined_tube/inclined_tube.toml")
        running = subprocess.Popen([*LAUNCHER, "-n", "2", PROGRAM, "run", "-q", scene, "-o", self.path("run")],
                                   env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        while not glob.glob(os.path.join(self.path("run"), "checkpoints", "*")):
            time.sleep(0.01)
        time.sleep(0.5)
        os.kill(children_of(running.pid)[-1], signal.SIGTERM)  # a single rank; all ranks end their step and the files
        said = running.communicate(timeout=60)[0]
        self.assertEqual(self.summary("run")["status"], "interrupted", said)
        self.run_by(0, "--resume", self.path("run"), "--until", "0.2")

    # A full disk on the rank that writes ends all ranks.
    def test_full_disk(self):
        # A limit on file sizes simulates a full disk; messages in shared memory are files too.
        limited = '[ $OMPI_COMM_WORLD_RANK != 0 ] || ulimit -f 300; exec "$@"'
        done = subprocess.run([*LAUNCHER, "-n", "2", "--mca", "btl", "self,tcp", "bash", "-c", limited, "bash", PROGRAM, "run",
                               "-q", self.scene("inclined_tube/inclined_tube.toml"), "--set", "output.vtk=false",
                               "-o", self.path("run")], env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("File too large", done.stderr)
        self.assertEqual(self.summary("run")["status"], "failed")

    def test_unsupported_features_are_refused_by_key(self):
        for scene, key, *more in (("piecewise/gas.toml", "stepping"),
                                  ("inclined_tube/inclined_tube.toml", "restitution_law", "--set", "restitution_law=\"energetic\"")):
            done = self.run_by(2, self.scene(scene), *more, "-o", self.path("refused"), check=False)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertRegex(done.stderr, rf"error: .*{scene}.*: {re.escape(key)}: .*several ranks")
            self.assertFalse(os.path.exists(self.path("refused")))

    # Each sweep has one exchange, that of the position correction too; and each step has two more.
    def test_bench_counts_one_exchange_a_sweep(self):
        done = subprocess.run([PROGRAM, "bench", "settled_bed", "--ranks", "1,2,3", "--size", "3000", "--until", "0.2",
                               "--repeats", "1", "--json", self.path("ranks.json"), "--csv", self.path("ranks.csv"),
                               "--launcher", " ".join([*LAUNCHER, "-n"])], env=ENVIRONMENT, capture_output=True, text=True,
                              timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(self.path("ranks.json")) as file:
            cases = json.load(file)["cases"]
        self.assertEqual([c["ranks"] for c in cases], [1, 2, 3])
        self.assertEqual(len({c["state_hash"] for c in cases}), 1)
        for case in cases[1:]:
            more = (case["exchanges_per_sweep"] - 1.0) * case["sweeps"] / case["steps"]
            self.assertGreaterEqual(more, 0.0)
            self.assertLessEqual(more, 8.0 + 2.0)
        # A ghost takes 24 bytes; fewer bodies are ghosts than are own ones.
        for case in cases[1:]:
            self.assertGreater(case["kilobytes_per_sweep"], 0.024)
            self.assertLess(case["kilobytes_per_sweep"], 0.024 * case["bodies"])
            self.assertGreaterEqual(case["imbalance"], 1.0)
        with open(self.path("ranks.csv")) as file:
            lines = file.read().splitlines()
        self.assertEqual({line.count(",") for line in lines}, {13})
        self.assertEqual(len(lines), 4)

    def test_a_fault_is_reported_once(self):
        scene = self.path("wrong.toml")
        with open(scene, "w") as file:
            file.write('time_step = -1\n')
        done = self.run_by(2, scene, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr.count("time_step"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

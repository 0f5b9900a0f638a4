"""The instruction counts of benchmarks/callgrind.py and rank_instructions.py: callgrind_test.py CALLGRIND_STEPS.

77: no valgrind here."""

import csv
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "callgrind.py"


def script(path=SCRIPT):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Names(unittest.TestCase):
    def test_clones_overloads_and_recursion_are_one(self):
        names = ["scree::gap(scree::PlacedEllipsoid const&, scree::Plane const&)", "scree::gap(...) [clone .avx2.0]",
                 "scree::gap.avx2.0(...)", "scree::gap(...)'2", "scree::(anonymous namespace)::gap(double)"]
        self.assertEqual({"scree::gap"}, {script().bare_name(name) for name in names})

    def test_lambdas_count_once(self):
        step, inlined = "scree::step(scree::State&)", "scree::(anonymous namespace)::residual(double)"
        of = "::{lambda(scree::Block const&)#1}::operator()(scree::Block const&) const"
        lines = [(step, 100), (step + of, 60), (inlined + of, 7), ("scree::gap(double)", 3), ("scree::gap(int)", 2),
                 (f"void scree::for_blocks<{step}::{{lambda(int)#1}}>(unsigned long)", 50)]
        counts = script().add_up(lines)
        self.assertEqual([100, 7, 5], [counts[name] for name in ("scree::step", "scree::residual", "scree::gap")])

    def test_stages_are_divided_by_their_work(self):
        counts = {"scree::step": 1000, "scree::find_contacts": 300, "scree::visit_batches": 400, "scree::news": 50,
                  "scree::trifle": 5, "main": 1000}
        work = {"steps": 2, "bodies": 5, "pairs": 10, "contacts": 20, "sweeps": 4, "swept_contacts": 40}
        rows = {row[0]: row[1:] for row in script().table(counts, work)}
        self.assertEqual([1000, 1.0, 500.0, 100.0, 100.0, 50.0, ""], rows["step"])
        self.assertEqual([300, 0.3, 150.0, 30.0, 30.0, 15.0, ""], rows["detection"])
        self.assertEqual(10.0, rows["solution: sweeps"][-1])
        self.assertIn("scree::news", rows)  # a function that is not in the list of stages
        self.assertNotIn("scree::trifle", rows)


class CountsOfRanks(unittest.TestCase):
    def test_libraries_of_messages_are_left_out(self):
        lines = ["version: 1", "ob=(1) /usr/bin/scree", "fn=(1) main", "10 100", "cob=(2) /usr/lib/libmpi.so.40",
                 "cfn=(2) MPI_Send", "calls=1 0", "11 5000", "", "ob=(2)", "fn=(2)", "20 4000", "cob=(3) /lib/libm.so.6",
                 "cfn=(3) sqrt", "calls=2 0", "+1 1000", "ob=(1)", "fn=(1)", "+3 7", "ob=(3)", "fn=(3)", "* 1000"]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "callgrind.out"
            path.write_text("\n".join(lines), encoding="utf-8")
            self.assertEqual(100 + 7 + 1000, script(SCRIPT.with_name("rank_instructions.py")).instructions(path))


class RealCounts(unittest.TestCase):
    program = None

    def test_stages_are_within_the_step(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "counts.csv"
            subprocess.run([sys.executable, SCRIPT, "--program", self.program, "--count", "60", "--from", "0.6", "--steps",
                            "2", "--csv", out, "--markdown", out.with_suffix(".md")], check=True, capture_output=True)
            with open(out, encoding="utf-8") as file:
                rows = {row["stage"]: row for row in csv.DictReader(file)}
            self.assertIn("| detection |", out.with_suffix(".md").read_text(encoding="utf-8"))
        total = int(rows["step"]["instructions"])
        self.assertGreater(total, 2 * 60 * 100)
        parts = [int(rows[stage]["instructions"]) for stage in ("detection", "assembly", "solution", "drift")]
        self.assertTrue(all(0 < part < total for part in parts))
        self.assertLess(sum(parts), total)
        self.assertGreater(float(rows["detection"]["nsgs"]), 0)


if __name__ == "__main__":
    RealCounts.program = sys.argv.pop(1)
    if not shutil.which("valgrind"):
        sys.exit(77)
    unittest.main()

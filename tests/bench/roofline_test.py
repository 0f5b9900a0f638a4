"""The counts of benchmarks/roofline.py: roofline_test.py CALLGRIND_STEPS MACHINE_LIMITS COMPILER. 77: cannot here."""

import csv
import json
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import unittest

BENCHMARKS = pathlib.Path(__file__).resolve().parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))
import callgrind  # noqa: E402
import roofline  # noqa: E402

LIMITS = {"limits": [{"threads": 1, "bandwidth_B_s": 1e10, "peak_flop_s": {"baseline": 1e9, "avx2": 2e9}}]}
ITEMS, STEPS = 20001, 2  # odd, so that vectors leave a remainder
SMALL, LARGE = "65536,16,64", "8388608,16,64"  # a cache smaller than an array of 160 kB, and a larger one


def known_program():
    """C++ of a step that calls every stage. Stage k does 2 (k + 1) flop on each of ITEMS; `shared` does 7 per item for
    two stages, and one of them gives it ten times as many items. Work before and after the step does not count."""
    stages = [function.removeprefix("scree::") for _, function in callgrind.STAGES[1:]]
    lines = ["#include <cstdio>", "#include <cstdlib>", "#include <vector>", "#if __has_include(<valgrind/callgrind.h>)",
             "#include <valgrind/callgrind.h>", "#endif", "#define ALONE __attribute__((noinline))", "namespace scree {",
             "ALONE double shared(const double* x, int n) {", "  double sum = 0.0;",
             "  for (int i = 0; i < n; ++i) {",
             "    if (x[i] > 1e9) std::abort();",
             "    sum += __builtin_sqrt(x[i] * x[i] + 1.0) / (x[i] - 7.0) - static_cast<double>(i);", "  }",
             "  return sum;", "}"]
    for k, stage in enumerate(stages):
        lines += [f"ALONE void {stage}(double* x, int n) {{", "  for (int i = 0; i < n; ++i) {", "    double v = x[i];",
                  *["    v = v * 0.5 + 1.0;"] * (k + 1), "    x[i] = v;", "  }",
                  *({"find_contacts": ["  *x = shared(x, n);"], "assemble": ["  *x = shared(x, n / 10);"]}.get(stage, [])),
                  "}"]
    lines += ["ALONE void touch(long* count, int n) {",
              '  for (int i = 0; i < n; ++i) asm volatile("addq $1, %0" : "+m"(*count));', "}",
              "ALONE void step(double* x, int n) {", *(f"  {stage}(x, n);" for stage in stages), "  long count = 0;",
              "  touch(&count, n);", "}", "}",
              'extern "C" ALONE void counted_steps(double* x, int n, int steps) {',
              "  for (int k = 0; k < steps; ++k) scree::step(x, n);", "}", "int main(int, char** argv) {",
              "  const int n = std::atoi(argv[2]), steps = std::atoi(argv[4]);", "  std::vector<double> x(n, 0.25);",
              "  CALLGRIND_START_INSTRUMENTATION;", "  scree::step(x.data(), n);",
              "  counted_steps(x.data(), n, steps);", "  scree::step(x.data(), n);",
              r'  std::printf("{\"bodies\": %d, \"steps\": %d, \"contacts\": 0, \"pairs\": 0, \"sweeps\": 0, "',
              r'              "\"swept_contacts\": 0, \"state_hash\": \"none\"}\n", n, steps);', "}"]
    return "\n".join(lines) + "\n"


def known_flop():
    """{stage: flop per step} of this program."""
    flop = {stage: 2 * (k + 1) * ITEMS for k, (stage, _) in enumerate(callgrind.STAGES[1:])}
    flop["detection"] += 7 * ITEMS
    flop["assembly"] += 7 * (ITEMS // 10)
    return {"step": sum(flop.values()), **flop}


def processor_has(*features):
    text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    flags = next((line.split() for line in text.splitlines() if line.startswith("flags")), [])
    return set(features) <= set(flags)


class Folder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "limits.json").write_text(json.dumps(LIMITS), encoding="utf-8")

    def rows(self, program, *options):
        out = self.folder / "roofline.csv"
        done = subprocess.run([sys.executable, BENCHMARKS / "roofline.py", "--program", program, "--limits",
                               self.folder / "limits.json", "--csv", out, "--markdown", out.with_suffix(".md"), *options],
                              capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stderr)
        with open(out, encoding="utf-8") as file:
            return {row["stage"]: {name: float(value) for name, value in row.items() if name != "stage" and value}
                    for row in csv.DictReader(file)}


class Instructions(unittest.TestCase):
    def test_flop_are_counted_by_lanes(self):
        flop = {"addsd xmm0,xmm1": 1, "mulpd xmm0,XMMWORD PTR [rax]": 2, "vsubpd ymm0,ymm1,ymm2": 4,
                "vdivpd zmm0,zmm1,zmm2": 8, "vsqrtsd xmm0,xmm0,xmm1": 1, "vmaxpd ymm0,ymm1,ymm2": 4,
                "vfmadd231sd xmm0,xmm1,xmm2": 2, "vfnmadd132pd ymm0,ymm1,ymm2": 8, "vhaddpd xmm0,xmm0,xmm0": 2,
                "vfmsubadd213pd xmm0,xmm1,xmm2": 4}
        none = ["movapd xmm0,xmm1", "vunpckhpd xmm0,xmm1,xmm1", "andpd xmm0,xmm1", "vcmppd ymm0,ymm1,ymm2,0x1",
                "ucomisd xmm0,xmm1", "cvtsi2sd xmm0,eax", "addss xmm0,xmm1", "vmulps ymm0,ymm1,ymm2", "add rax,rbx",
                "ret", "vxorpd xmm0,xmm0,xmm0", "nop"]
        self.assertEqual(flop, {text: roofline.instruction(text).flop for text in flop})
        self.assertEqual([0] * len(none), [roofline.instruction(text).flop for text in none])

    def test_bytes_are_those_of_the_operand(self):
        sizes = {"vmovupd ymm0,YMMWORD PTR [rax+rbx*8]": 32, "mulsd xmm0,QWORD PTR [rip+0x10]        # 2000 <x>": 8,
                 "movaps XMMWORD PTR [rsp],xmm0": 16, "movzx eax,BYTE PTR [rdi]": 1, "push rbx": 8, "call 1040 <f>": 8,
                 "rep stos DWORD PTR es:[rdi],eax": 4, "vmaskmovpd ymm0,ymm1,YMMWORD PTR [rax]": 8}
        self.assertEqual(sizes, {text: roofline.instruction(text).size for text in sizes})
        updates = {"add QWORD PTR [rax],0x1": True, "lock xadd DWORD PTR [rax],ebx": False,
                   "add rax,QWORD PTR [rax]": False, "cmp QWORD PTR [rax],0x1": False, "inc DWORD PTR [rbx]": True,
                   "lock or QWORD PTR [rsp],0x0": True, "mov QWORD PTR [rax],rbx": False}
        self.assertEqual(updates, {text: roofline.instruction(text).updates for text in updates})


class KnownProgram(Folder):
    compiler = None

    def build(self, *flags):
        source, program = self.folder / "known.cpp", self.folder / "known"
        source.write_text(known_program(), encoding="utf-8")
        subprocess.run([self.compiler, "-std=c++20", "-fno-math-errno", *flags, source, "-o", program], check=True)
        return program

    def test_every_flop_is_counted_for_its_stage(self):
        variants = [["-O0"], ["-O2"]]
        if processor_has("avx2", "fma"):  # valgrind supports the processor's features
            variants += [["-O3", "-mavx2"], ["-O3", "-mavx2", "-mfma", "-ffp-contract=fast"]]
        for flags in variants:
            with self.subTest(flags=flags):
                rows = self.rows(self.build(*flags), "--count", str(ITEMS), "--steps", str(STEPS))
                self.assertEqual(known_flop(), {stage: rows[stage]["flop"] for stage, _ in callgrind.STAGES})
                self.assertLessEqual(rows["drift"]["flop_instructions"], rows["drift"]["flop"])
        if len(variants) > 2:
            self.assertAlmostEqual(8, rows["drift"]["flop"] / rows["drift"]["flop_instructions"], delta=0.01)

    def test_bytes_and_misses_are_those_of_the_array(self):
        program, array = self.build("-O2"), 8 * ITEMS
        small = self.rows(program, "--count", str(ITEMS), "--steps", str(STEPS), "--ll", SMALL)
        large = self.rows(program, "--count", str(ITEMS), "--steps", str(STEPS), "--ll", LARGE)
        for stage in [stage for stage, _ in callgrind.STAGES if stage not in ("step", "detection", "assembly")]:
            for name in ("loaded_B", "stored_B"):  # and, once, addresses and constants
                self.assertGreaterEqual(small[stage][name], array, f"{stage} {name}")
                self.assertLess(small[stage][name], array + 500, f"{stage} {name}")
        for name in ("past_L1_B", "memory_B"):  # no data of the array remain from the stage before
            self.assertAlmostEqual(array, small["drift"][name], delta=0.01 * array)
        self.assertAlmostEqual(array, large["drift"]["past_L1_B"], delta=0.01 * array)
        for name in ("loaded_B", "stored_B"):  # an instruction that reads and writes one operand does both
            self.assertAlmostEqual(array, small["scree::touch"][name], delta=20)
        self.assertLess(large["step"]["memory_B"], 0.001 * array)

    def test_floors_and_measured_times(self):
        program, bench = self.build("-O2"), self.folder / "bench.json"
        spread = {name: {"median": time} for name, time in
                  (("preparation", 0.01), ("detection", 0.02), ("resolution", 0.04), ("finish", 0.03))}
        case = {"scene": "known", "bodies": ITEMS, "threads": 1, "residual_target": None, "cold": False,
                "state_hash": "none", "step_time_s": {"median": 0.1}, "stage_time_s": spread}
        others = [{**case, "threads": 2, "step_time_s": {"median": 9.0}}, {**case, "residual_target": 0.01}]
        bench.write_text(json.dumps({"cases": [*others, case]}), encoding="utf-8")
        rows = self.rows(program, "--scene", "known", "--count", str(ITEMS), "--steps", str(STEPS), "--ll", SMALL,
                         "--bench", bench)
        step, flop = rows["step"], known_flop()
        self.assertAlmostEqual(flop["step"] / 2e9, step["arithmetic_floor_s"], delta=1e-9 * flop["step"] / 2e9)
        self.assertAlmostEqual(step["memory_B"] / 1e10, step["memory_floor_s"], delta=1e-12)
        self.assertAlmostEqual(0.1 / max(step["arithmetic_floor_s"], step["memory_floor_s"]), step["over_floor"], places=5)
        self.assertEqual(0.02, rows["detection"]["measured_s"])
        self.assertEqual(0.04, rows["timed: resolution"]["measured_s"])
        self.assertEqual(flop["assembly"] + flop["solution"] + flop["position correction"],
                         rows["timed: resolution"]["flop"])
        rest = rows["timed: preparation and finish"]
        self.assertAlmostEqual(0.04, rest["measured_s"])
        self.assertEqual(step["flop"], rows["detection"]["flop"] + rows["timed: resolution"]["flop"] + rest["flop"])


class RealCounts(Folder):
    program = None

    def test_stages_are_within_the_step(self):
        rows = self.rows(self.program, "--count", "60", "--from", "0.6", "--steps", "2")
        known = [stage for stage, _ in callgrind.STAGES if stage in rows]
        timed = {part for parts in roofline.TIMED.values() for part in parts}
        self.assertLessEqual({"step", "drift", *timed}, set(known))
        for stage in known:
            for name in ("instructions", "flop", "loaded_B", "stored_B", "past_L1_B", "memory_B"):
                self.assertLessEqual(rows[stage][name], rows["step"][name], f"{stage} {name}")
        self.assertGreater(rows["solution"]["flop"], 0)
        text = (self.folder / "roofline.md").read_text(encoding="utf-8")
        self.assertTrue(all(f"| {stage} |" in text for stage in rows))


class Machine(unittest.TestCase):
    program = None

    def test_limits_of_one_thread_and_of_all(self):
        done = subprocess.run([self.program, "1"], capture_output=True, text=True, check=True)
        limits = json.loads(done.stdout)["limits"]
        self.assertEqual(1, limits[0]["threads"])
        for one in limits:
            self.assertGreater(one["bandwidth_B_s"], 0)
            self.assertGreater(one["peak_flop_s"]["baseline"], 0)
        self.assertEqual(processor_has("avx2"), "avx2" in limits[0]["peak_flop_s"])


if __name__ == "__main__":
    RealCounts.program, Machine.program, KnownProgram.compiler = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1)
    if platform.machine() != "x86_64" or not all(map(shutil.which, ("valgrind", "objdump"))):
        sys.exit(77)
    unittest.main()

#!/usr/bin/env python3
"""Operations and memory traffic of every stage of a step, and the least time that this machine needs for them.

    benchmarks/roofline.py [--program build/release/benchmarks/callgrind_steps] [--scene settled_bed] [--count 200]
                           [--from 1.5] [--steps 5] [--bench BENCH.json] [--limits LIMITS.json] [--ll SIZE,WAYS,LINE]
                           [--csv FILE] [--markdown FILE]

Stages are those of callgrind.py, with the functions that they call. One run of callgrind counts every instruction
(--dump-instr) under the whole chain of its callers (--separate-callers). So the work of a function for a stage is
counted, not estimated. A chain that does not begin at the counted steps is an error. The disassembly (objdump) gives
the number of double-precision operations of every instruction and the size of its memory operand in bytes:
- flop: add, subtract, multiply, divide, root, minimum and maximum count 1 per lane, fused multiply-add 2. Moves,
  shuffles, comparisons, logic, conversions and single precision count 0. Lanes that only pad a vector count too.
- bytes loaded and stored: accesses times operand size, wherever the data are.
- bytes past L1: lines that data accesses fetch because the first-level cache, as modelled by callgrind, lacks them.
- bytes of memory: the same for the last-level cache.
The floors are bytes of memory over bandwidth, and flop over peak of one thread, as machine_limits measures them. Needs
valgrind and objdump (Debian: valgrind, binutils), and x86-64.
"""

import collections
import csv
import dataclasses
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import callgrind

CALLERS = 100  # longer than any chain of calls in a step
CACHES = pathlib.Path("/sys/devices/system/cpu/cpu0/cache")
# Times of `scree bench`, and the stages that each of them covers; the other stages are the rest of a step.
TIMED = {"detection": ["detection"], "resolution": ["assembly", "solution", "position correction"]}
COLUMNS = ["stage", "instructions", "flop", "flop_instructions", "loaded_B", "stored_B", "past_L1_B", "memory_B",
           "flop_per_B", "flop_per_memory_B", "memory_floor_s", "arithmetic_floor_s", "measured_s", "over_floor"]

ARITHMETIC = re.compile(r"v?(?:add|sub|mul|div|sqrt|min|max|hadd|hsub|addsub)(sd|pd)$")
FUSED = re.compile(r"vfn?m(?:add|sub|addsub|subadd)(?:132|213|231)(sd|pd)$")
LANES = {"x": 2, "y": 4, "z": 8}
SIZES = {"BYTE": 1, "WORD": 2, "DWORD": 4, "FWORD": 6, "QWORD": 8, "TBYTE": 10, "XMMWORD": 16, "OWORD": 16,
         "YMMWORD": 32, "ZMMWORD": 64}
SIZE = re.compile(r"\b([A-Z]+) PTR ")
BY_LANE = re.compile(r"vp?maskmov(pd|q|ps|d)$")  # one access per lane
# Instructions that read their memory operand and write it again: callgrind counts one access.
UPDATES = re.compile(r"(add|sub|adc|sbb|and|or|xor|inc|dec|neg|not|sh[lr]|sa[lr]|ro[lr]|sh[lr]d|bt[src])$")
PREFIXES = {"lock", "rep", "repz", "repnz", "bnd", "notrack", "data16", "cs", "ds", "es", "fs", "gs", "xacquire",
            "xrelease"}


@dataclasses.dataclass
class Work:
    """Work of instructions; flop_instructions are those with flop."""
    instructions: int = 0
    flop: int = 0
    flop_instructions: int = 0
    loaded: int = 0
    stored: int = 0
    past_l1: int = 0
    memory: int = 0

    def __add__(self, other):
        return Work(*(a + b for a, b in zip(dataclasses.astuple(self), dataclasses.astuple(other))))

    def __sub__(self, other):
        return Work(*(a - b for a, b in zip(dataclasses.astuple(self), dataclasses.astuple(other))))


@dataclasses.dataclass
class Instruction:
    """Work of one execution: flop, bytes of an access, and whether the access is a read and a write."""
    flop: int
    size: int
    updates: bool


def instruction(text):
    """Reads a line of objdump in Intel's syntax, without address: 'vaddpd ymm0,ymm1,YMMWORD PTR [rax]'."""
    words = text.split("#")[0].split()
    while len(words) > 1 and (words[0] in PREFIXES or words[0].startswith("rex")):
        words.pop(0)
    name, operands = (words[0] if words else ""), " ".join(words[1:])
    flop = 0
    for pattern, each in ((ARITHMETIC, 1), (FUSED, 2)):
        match = pattern.match(name)
        if match:
            flop = each * (1 if match[1] == "sd" else LANES[operands[0]])
    size = SIZE.search(operands)
    by_lane = BY_LANE.match(name)
    if by_lane:
        size = 8 if by_lane[1] in ("pd", "q") else 4
    else:
        size = SIZES.get(size[1], 8) if size else 8  # push, pop, call, ret and similar
    return Instruction(flop, size, bool(UPDATES.match(name) and SIZE.match(operands)))


def disassembly(binary, addresses):
    """{address: Instruction} for the given addresses."""
    command = ["objdump", "--disassemble", "--no-show-raw-insn", "--wide", "-M", "intel", binary]
    found = {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            address, colon, text = line.partition(":\t")
            if colon and (number := int(address, 16)) in addresses:
                found[number] = instruction(text)
    missing = addresses - found.keys()
    if missing:
        sys.exit(f"roofline.py: objdump shows no instruction at {min(missing):#x} of {binary}")
    return found


class Profile:
    """callgrind's file: chain[id] names a function and its callers, and costs[id][binary, address] counts events."""

    def __init__(self, path):
        self.chain, self.costs, self.events, self.total = {}, {}, [], 0
        binaries, binary, costs, address, is_call = {}, None, None, 0, False
        for line in path.read_text(encoding="utf-8").splitlines():
            key, equals, value = line.partition("=")
            if line[:1] in "+-*0" and line:
                first, *counts = line.split()
                address = self.position(first, address)
                if not is_call:  # a call's line holds the work of the callee, which also has its own entry
                    costs[binary, address].update(dict(zip(self.events, map(int, counts))))
                is_call = False
            elif line.startswith("events:"):
                self.events = line.split()[1:]
            elif line.startswith("totals:"):
                self.total = int(line.split()[1])
            elif equals and key == "ob":
                binary = self.name(value, binaries)[1]
            elif equals and key in ("fn", "cfn"):
                number, _ = self.name(value, self.chain)
                if key == "fn":
                    costs = self.costs.setdefault(number, collections.defaultdict(collections.Counter))
            elif equals and key == "cob":
                self.name(value, binaries)
            elif equals and key == "calls":
                is_call = True

    @staticmethod
    def position(text, last):
        if text[0] == "0":
            return int(text, 16)
        return last if text == "*" else last + int(text)

    @staticmethod
    def name(value, names):
        """'(12) name' for the first time, then '(12)'."""
        number, _, text = value.partition(" ")
        if text:
            names[number] = text
        return number, names[number]


def work_of(profile, line_size):
    """[(names of the chain of callers, Work of the function itself)]"""
    addresses = collections.defaultdict(set)
    for costs in profile.costs.values():
        for binary, address in costs:
            addresses[binary].add(address)
    code = {binary: disassembly(binary, wanted) for binary, wanted in addresses.items()}
    works = []
    for number, costs in profile.costs.items():
        names = {callgrind.bare_name(name) for name in profile.chain[number].split("'")}
        if costs and "counted_steps" not in names:
            sys.exit(f"roofline.py: who calls {profile.chain[number].split(chr(39))[0]}? More than {CALLERS} callers")
        work = Work()
        for (binary, address), n in costs.items():
            does = code[binary][address]
            reads, writes = [max(n["Dr"], n["Dw"])] * 2 if does.updates else (n["Dr"], n["Dw"])
            work += Work(n["Ir"], n["Ir"] * does.flop, n["Ir"] if does.flop else 0, reads * does.size,
                         writes * does.size, (n["D1mr"] + n["D1mw"]) * line_size, (n["DLmr"] + n["DLmw"]) * line_size)
        works.append((names, work))
    return works


def within(works, functions):
    """All work inside one of these functions, or for one of them."""
    return sum((work for names, work in works if not names.isdisjoint(functions)), Work())


def cache_option(level, kind):
    """SIZE,WAYS,LINE of a cache of this machine. callgrind needs a power of two of sets. None if unknown."""
    for folder in sorted(CACHES.glob("index*")):
        try:
            text = {name: (folder / name).read_text(encoding="ascii").strip()
                    for name in ("level", "type", "size", "ways_of_associativity", "coherency_line_size")}
            size, line = int(text["size"].rstrip("K")) * 1024, int(text["coherency_line_size"])
            ways = int(text["ways_of_associativity"]) or size // line
        except (OSError, ValueError):
            continue
        if int(text["level"]) == level and text["type"] in (kind, "Unified"):
            sets = 1 << (size // (ways * line)).bit_length() - 1
            return f"{sets * line * (size // (sets * line))},{size // (sets * line)},{line}"
    return None


def last_level_cache():
    return next((found for found in (cache_option(level, "Data") for level in (4, 3, 2)) if found), None)


def count(arguments, folder):
    """(work of the steps, [(chain, Work)])"""
    options = ["--instr-atstart=no", "--dump-instr=yes", "--dump-line=no", "--cache-sim=yes",
               f"--separate-callers={CALLERS}"]
    caches = {"I1": cache_option(1, "Instruction"), "D1": cache_option(1, "Data"), "LL": arguments.ll}
    options += [f"--{name}={option}" for name, option in caches.items() if option]
    work, out = callgrind.count(arguments, folder, *options)
    profile = Profile(out)
    if not any(profile.costs.values()):
        sys.exit(f"roofline.py: callgrind counted nothing: {arguments.program} was built without valgrind/callgrind.h")
    works = work_of(profile, int(arguments.ll.split(",")[2]) if arguments.ll else 64)
    if sum(part.instructions for _, part in works) != profile.total:
        sys.exit("roofline.py: the instructions in callgrind's file are not as many as it says")
    return work, works


def measured_times(path, work, arguments):
    """Median times of a step and of its timed stages on one thread, s, from a file of `scree bench --json`."""
    # Equal steps end in the same state. Another state is reported, not refused: the work may be nearly the same.
    cases = json.loads(path.read_text(encoding="utf-8"))["cases"]
    scene = pathlib.Path(arguments.scene).stem
    for case in cases:
        plain = case["threads"] == 1 and case["residual_target"] is None and not case["cold"]
        if plain and case["bodies"] == work["bodies"] and pathlib.Path(case["scene"]).stem == scene:
            if case["state_hash"] != work["state_hash"]:
                print(f"roofline.py: {path} ends in another state than the counted steps: its times are those of other "
                      f"steps; `scree bench --steps {work['steps']} --from {arguments.start:g}` takes the same",
                      file=sys.stderr)
            times = {stage: spread["median"] for stage, spread in case["stage_time_s"].items()}
            return {"step": case["step_time_s"]["median"], **times}
    sys.exit(f"roofline.py: {path} has no {scene} of {work['bodies']} bodies on one thread")


def row(stage, work, steps, limits, measured):
    """A row of COLUMNS, per step. A floor is the time if this part alone took time."""
    memory_floor = work.memory / steps / limits["bandwidth_B_s"]
    arithmetic_floor = work.flop / steps / limits["peak"]
    floor = max(memory_floor, arithmetic_floor)
    moved = work.loaded + work.stored
    return [stage, *(n / steps for n in dataclasses.astuple(work)), work.flop / moved if moved else "",
            work.flop / work.memory if work.memory else "", memory_floor, arithmetic_floor,
            "" if measured is None else measured, measured / floor if measured and floor else ""]


def table(works, steps_work, limits, times):
    """One row per stage and other function, as in callgrind.py; then stages which `scree bench` times together."""
    steps = steps_work["steps"]
    names = set().union(*(names for names, _ in works))
    by_function = {name: within(works, {name}) for name in names}
    function_of = dict(callgrind.STAGES)
    rows = []
    for stage, *_ in callgrind.table({name: work.instructions for name, work in by_function.items()}, steps_work):
        rows.append(row(stage, by_function[function_of.get(stage, stage)], steps, limits, times.get(stage)))
    if times:
        rows += timed_rows(works, function_of, steps, limits, times)
    return rows


def timed_rows(works, function_of, steps, limits, times):
    rows, known = [], set()
    for stage, parts in TIMED.items():
        functions = {function_of[part] for part in parts}
        known |= functions
        if stage not in function_of:
            rows.append(row(f"timed: {stage}", within(works, functions), steps, limits, times[stage]))
    others = [stage for stage in times if stage != "step" and stage not in TIMED]
    rest = within(works, {function_of["step"]}) - within(works, known)
    return rows + [row(f"timed: {' and '.join(others)}", rest, steps, limits, sum(times[stage] for stage in others))]


def read_limits(arguments):
    """Limits of one thread. The peak is for the instructions that valgrind supports, and so for the counted ones."""
    if arguments.limits:
        measured = json.loads(arguments.limits.read_text(encoding="utf-8"))
    else:
        program = arguments.program.parent / "machine_limits"
        callgrind.check_programs("roofline.py", program, ())
        measured = json.loads(subprocess.run([program], capture_output=True, text=True, check=True).stdout)
    one = next(limits for limits in measured["limits"] if limits["threads"] == 1)
    peaks = one["peak_flop_s"]
    return {**one, "all": measured["limits"], "peak": peaks.get("avx2", peaks["baseline"])}


def limits_text(limits):
    parts = []
    for one in limits["all"]:
        peaks = ", ".join(f"{name} {peak * 1e-9:.1f}" for name, peak in one["peak_flop_s"].items())
        threads = "1 thread" if one["threads"] == 1 else f"{one['threads']} threads"
        parts.append(f"{threads}: memory {one['bandwidth_B_s'] * 1e-9:.1f} GB/s, arithmetic {peaks} Gflop/s")
    return f"{'; '.join(parts)}. Floors: 1 thread, {limits['peak'] * 1e-9:.1f} Gflop/s."


def markdown(rows, work, arguments, limits):
    bodies = work["bodies"]
    lines = [f"`{arguments.scene}`, {bodies} bodies, {work['steps']} steps from t = {arguments.start:g} s: "
             f"{work['contacts'] / work['steps']:.0f} contacts, {work['sweeps'] / work['steps']:.1f} sweeps a step; "
             f"last-level cache {arguments.ll or 'as valgrind found it'}; state hash {work['state_hash']}. A body and "
             "step; times in ns.", "", limits_text(limits), "",
             "| stage | instructions | flop | flop an instruction that does any | loaded B | stored B | past L1 B | "
             "memory B | flop/B | flop/memory B | memory floor | arithmetic floor | measured | times the larger floor |",
             "|---|" + "---|" * (len(COLUMNS) - 1)]
    for stage, *values in rows:
        n = dict(zip(COLUMNS[1:], values))
        cells = [f"{n['instructions'] / bodies:.0f}", f"{n['flop'] / bodies:.0f}",
                 f"{n['flop'] / n['flop_instructions']:.2f}" if n["flop_instructions"] else "",
                 *(f"{n[name] / bodies:.0f}" for name in ("loaded_B", "stored_B", "past_L1_B", "memory_B")),
                 *("" if n[name] == "" else f"{n[name]:.3g}" for name in ("flop_per_B", "flop_per_memory_B")),
                 *("" if n[name] == "" else f"{1e9 * n[name] / bodies:.1f}"
                   for name in ("memory_floor_s", "arithmetic_floor_s", "measured_s")),
                 "" if n["over_floor"] == "" else f"{n['over_floor']:.1f}"]
        lines.append(f"| {stage} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def parse_arguments():
    parser = callgrind.argument_parser(__doc__.splitlines()[0])
    parser.add_argument("--bench", type=pathlib.Path,
                        help="of `scree bench --json`: the same scene, bodies, --from and --steps")
    parser.add_argument("--limits", type=pathlib.Path, help="what machine_limits printed; it is run otherwise")
    parser.add_argument("--ll", default=last_level_cache(), metavar="SIZE,WAYS,LINE",
                        help="last-level cache to model, bytes; that of this machine")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    callgrind.check_programs("roofline.py", arguments.program, ("valgrind", "objdump"))
    limits = read_limits(arguments)
    with tempfile.TemporaryDirectory() as folder:
        work, works = count(arguments, pathlib.Path(folder))
    times = measured_times(arguments.bench, work, arguments) if arguments.bench else {}
    rows = table(works, work, limits, times)
    if arguments.csv:
        with open(arguments.csv, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            writer.writerows([value if isinstance(value, str) else f"{value:.10g}" for value in row] for row in rows)
    text = markdown(rows, work, arguments, limits)
    if arguments.markdown:
        arguments.markdown.write_text(text, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()

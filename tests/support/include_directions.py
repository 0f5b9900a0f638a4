"""Directions of includes: reads every #include of the project and fails on an arrow in the wrong direction.

    python3 tests/support/include_directions.py SOURCE_DIR

docs/architecture.md shows the allowed directions. The checker itself is tested on small made-up trees.
"""

import re
import sys
import tempfile
import unittest
from pathlib import Path

# Each part, and the other parts whose headers it may include. The parts of the engine stand from the bottom up.
ENGINE = {
    "engine/core": set(),
    "engine/modules/integration": set(),
    "engine/geometry": {"engine/core"},
    "engine/bodies": {"engine/core", "engine/geometry"},
    "engine/detection": {"engine/core", "engine/geometry", "engine/bodies"},
    "engine/solver": {"engine/core"},
    "engine/modules/flight": {"engine/core", "engine/modules/integration", "engine/geometry", "engine/bodies", "engine/detection",
                      "engine/solver"},
    "engine/modules/mechanisms": {"engine/core"},
    "engine/modules/equations": {"engine/core"},
    "engine/modules/generation": {"engine/core", "engine/geometry", "engine/bodies"},
    "engine/modules/fields": {"engine/core", "engine/geometry", "engine/bodies"},
    "engine/simulation": {"engine/core", "engine/geometry", "engine/bodies", "engine/detection", "engine/solver",
                          "engine/modules/flight", "engine/modules/generation", "engine/modules/mechanisms"},
    "engine/run": {"engine/core", "engine/simulation"},
    "engine/measurements": {"engine/core", "engine/bodies", "engine/modules/generation", "engine/modules/fields", "engine/simulation"},
    "engine/mpi": {"engine/core"},
}
PARTS = ENGINE | {"io": set(ENGINE), "tools": set(ENGINE) | {"io"}, "python": set(ENGINE) | {"io"}, "tests": set(ENGINE) | {"io", "tools"},
                  "benchmarks": set(ENGINE) | {"io", "tools", "tests"}}

# Third-party headers with a fixed place.
THREADS = re.compile(r"(oneapi/)?tbb/")
FILE_FORMATS = re.compile(r"(vtk\w*\.h|toml\+\+/|toml\.hpp|hdf5\w*\.h|H5\w*\.h|highfive/)")
THREADS_PLACE = "engine/core/parallel.cpp"
PROCESSES = re.compile(r"mpi\.h$")
PROCESSES_PLACE = "engine/mpi/mpi_ranks.cpp"
GRAPHS_AND_GRAMMARS = re.compile(r"boost/(graph|spirit)/")  # declarative models; no part of what is exported
ALGEBRA = re.compile(r"(ginac|cln)/")
ALGEBRA_PLACE = "engine/modules/equations/symbolic.cpp"
SYSTEM = re.compile(r"(dlfcn|fcntl|spawn|unistd)\.h|sys/wait\.h")
SYSTEM_PLACE = "engine/modules/equations/compiled.cpp"
INTERVALS = re.compile(r"boost/numeric/interval")
INTERVALS_PLACE = "engine/geometry/implicit/interval_bounds.cpp"
STANDARD = re.compile(r"\w+$")  # a name without a folder or an ending: the language's own

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
SOURCES = {".h", ".cpp"}


def part_of(path):
    """The part that a file belongs to ("engine/core", "io"), or None if it is in none."""
    folders = path.split("/")
    for part in ("/".join(folders[:3]), "/".join(folders[:2]), folders[0]):
        if part in PARTS and len(folders) > part.count("/") + 1:
            return part
    return None


def read_includes(root):
    """{file: [(line, quoted, header)]} of all sources in `root`; paths are relative to it, with forward slashes."""
    includes = {}
    for top in sorted({part.split("/")[0] for part in PARTS}):
        for file in sorted((root / top).rglob("*")):
            if file.suffix in SOURCES:
                text = file.read_text(encoding="utf-8")
                includes[file.relative_to(root).as_posix()] = [
                    (text.count("\n", 0, match.start(match.lastindex)) + 1, match.lastindex == 1, match[match.lastindex])
                    for match in INCLUDE.finditer(text)
                ]
    return includes


def own_header_fault(file, quoted, header, files):
    """The error in an include of one of the project's own files, or None."""
    if not quoted:
        return "own headers are included in quotes" if header in files else None
    if header not in files:
        return "own headers are named from the top folder, e.g. \"engine/core/types.h\"; there is no such file"
    source, target = part_of(file), part_of(header)
    if source != target and target not in PARTS.get(source, set()):
        return f"{source} must not see {target}"
    return None


def third_party_fault(file, quoted, header):
    """The error in an include of a third-party header, or None."""
    if THREADS.match(header) and file != THREADS_PLACE:
        return f"oneTBB is included by {THREADS_PLACE} alone"
    if PROCESSES.match(header):
        return None if file == PROCESSES_PLACE else f"mpi.h is included by {PROCESSES_PLACE} alone"
    if INTERVALS.match(header) and file == INTERVALS_PLACE:
        return None
    if ALGEBRA.match(header):
        return None if file == ALGEBRA_PLACE else f"GiNaC is included by {ALGEBRA_PLACE} alone"
    if GRAPHS_AND_GRAMMARS.match(header) and part_of(file) == "engine/modules/equations" and file.endswith(".cpp"):
        return None
    if SYSTEM.fullmatch(header) and file == SYSTEM_PLACE:
        return None
    if FILE_FORMATS.match(header) and part_of(file) not in ("io", "tests"):
        return "HDF5, VTK and TOML stay inside io"
    if part_of(file) in ENGINE and not (quoted or THREADS.match(header) or header.startswith(("Eigen/", "unsupported/Eigen/")) or STANDARD.match(header)):
        return "the engine needs oneTBB, Eigen and, for intervals, Boost's headers alone"
    return None


def reached_from(header, includes):
    """The project's headers that an include of this one brings in, itself among them."""
    reached, waiting = set(), [header]
    while waiting:
        file = waiting.pop()
        if file not in reached:
            reached.add(file)
            waiting += [own for _, quoted, own in includes[file] if quoted]
    return reached


def closed_headers(includes):
    """Headers of io through which HDF5, VTK or TOML can be seen, each with the include that shows it."""
    closed = {}
    grew = True
    while grew:
        grew = False
        for file, lines in includes.items():
            if not (file.startswith("io/") and file.endswith(".h")) or file in closed:
                continue
            for _, _, header in lines:
                if FILE_FORMATS.match(header) or header in closed:
                    closed[file] = header
                    grew = True
                    break
    return closed


def faults_of(root):
    """Every wrong include as "file:line: header: reason"."""
    includes = read_includes(root)
    closed = closed_headers(includes)
    faults = []
    for file, lines in includes.items():
        if part_of(file) is None:
            faults.append(f"{file}:1: a source outside the known parts; name its part in docs/architecture.md and here")
        for line, quoted, header in lines:
            fault = own_header_fault(file, quoted, header, includes) or third_party_fault(file, quoted, header)
            if not fault and header in closed and part_of(file) == "tools":
                fault = f"lets {closed[header]} out of io"
            if fault:
                faults.append(f"{file}:{line}: {header}: {fault}")
    return faults


class Checker(unittest.TestCase):
    """The checker finds what it must and nothing else, on trees of a few files."""

    def faults(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            return faults_of(root)

    def test_right_arrows_pass(self):
        self.assertEqual([], self.faults({
            "engine/core/types.h": "#include <vector>\n#include <Eigen/Core>\n",
            "engine/core/parallel.cpp": "#include <oneapi/tbb/parallel_for.h>\n",
            "engine/geometry/plane.h": '#include "engine/core/types.h"\n',
            "engine/solver/solver.h": '#include "engine/core/types.h"\n',
            "engine/simulation/step.h": '#include "engine/solver/solver.h"\n#include "engine/geometry/plane.h"\n',
            "io/results/file.h": "#include <hdf5.h>\n",
            "io/results/writer.h": '#include "engine/simulation/step.h"\n',
            "io/results/writer.cpp": '#include "io/results/file.h"\n#include <vtkPolyData.h>\n',
            "tools/main.cpp": '#include "io/results/writer.h"\n',
            "tests/unit/plane.cpp": '#include "engine/geometry/plane.h"\n',
        }))

    def test_every_wrong_arrow_in_the_engine_is_found(self):
        for source in ENGINE:
            for target in (ENGINE.keys() | {"io", "tools"}) - ENGINE[source] - {source}:
                with self.subTest(f"{source} -> {target}"):
                    found = self.faults({f"{source}/a.h": f'\n# include "{target}/b.h"\n', f"{target}/b.h": ""})
                    self.assertEqual([f"{source}/a.h:2: {target}/b.h: {source} must not see {target}"], found)

    def test_file_formats_outside_io_are_found(self):
        for header in ("hdf5.h", "H5Cpp.h", "vtkPolyData.h", "toml++/toml.h"):
            for file in ("engine/simulation/a.cpp", "tools/a.cpp"):
                with self.subTest(f"{file} <{header}>"):
                    self.assertEqual(1, len(self.faults({file: f"#include <{header}>\n"})))

    def test_file_formats_seen_through_a_header_are_found(self):
        found = self.faults({
            "io/file.h": "#include <hdf5.h>\n",
            "io/writer.h": '#include "io/file.h"\n',
            "tools/main.cpp": '#include "io/writer.h"\n',
        })
        self.assertEqual(["tools/main.cpp:1: io/writer.h: lets io/file.h out of io"], found)

    def test_threads_outside_their_file_are_found(self):
        for header in ("tbb/parallel_for.h", "oneapi/tbb/global_control.h"):
            self.assertEqual(1, len(self.faults({"engine/core/parallel.h": f"#include <{header}>\n"})))

    def test_other_libraries_in_the_engine_are_found(self):
        for header in ("fmt/format.h", "xxhash.h", "boost/hash.hpp"):
            self.assertEqual(1, len(self.faults({"engine/core/a.cpp": f"#include <{header}>\n"})))

    def test_intervals_outside_their_file_are_found(self):
        self.assertEqual([], self.faults({INTERVALS_PLACE: "#include <boost/numeric/interval.hpp>\n"}))
        self.assertEqual(1, len(self.faults({"engine/geometry/a.cpp": "#include <boost/numeric/interval.hpp>\n"})))

    def test_graphs_grammars_and_algebra_stay_in_the_models(self):
        self.assertEqual([], self.faults({ALGEBRA_PLACE: "#include <ginac/ginac.h>\n", SYSTEM_PLACE: "#include <dlfcn.h>\n",
                                          "engine/modules/equations/a.cpp": "#include <boost/graph/strong_components.hpp>\n"}))
        for file, header in (("engine/modules/equations/a.cpp", "ginac/ginac.h"), ("tools/a.cpp", "ginac/ginac.h"),
                             ("engine/modules/equations/a.h", "boost/spirit/home/x3.hpp"), ("engine/core/a.cpp", "boost/graph/graph_traits.hpp"),
                             ("engine/modules/equations/a.cpp", "dlfcn.h")):
            self.assertEqual(1, len(self.faults({file: f"#include <{header}>\n"})), file)

    def test_unclear_paths_are_found(self):
        self.assertEqual(1, len(self.faults({"engine/core/a.h": '#include "b.h"\n', "engine/core/b.h": ""})))
        self.assertEqual(1, len(self.faults({"engine/core/a.h": "#include <engine/core/b.h>\n", "engine/core/b.h": ""})))
        self.assertEqual(1, len(self.faults({"engine/extra/a.h": ""})))


class Project(unittest.TestCase):
    root = None

    def test_sources_are_found(self):
        self.assertIn("engine/core/types.h", read_includes(self.root))

    def test_includes_point_the_right_way(self):
        faults = faults_of(self.root)
        if faults:
            self.fail("\n" + "\n".join(faults))


    def test_installed_headers_have_no_types_of_the_compiler(self):
        self.assertNotIn("engine/core/vector4.h", reached_from("engine/simulation/step.h", read_includes(self.root)))


if __name__ == "__main__":
    Project.root = Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)

"""Cost of a step in Python: single steps against many at once, and user-defined forces.

    ./scree python benchmarks/python_costs.py
"""

import subprocess
import sys
import time
from pathlib import Path

import numpy

import scree

TUBE = Path(__file__).resolve().parents[1] / "scenes/inclined_tube/inclined_tube.toml"


def seconds(do):
    start = time.perf_counter()
    do()
    return time.perf_counter() - start


def one_by_one(steps, turns=5, block=25):
    """Time of single steps over that of the same steps at once: blocks in turn, least time of each over some runs."""
    least = {"once": numpy.full(steps // block, numpy.inf), "each": numpy.full(steps // block, numpy.inf)}
    for _ in range(turns):
        runs = {"once": scree.Run(TUBE, threads=1), "each": scree.Run(TUBE, threads=1)}
        for k in range(steps // block):
            for name, do in (("once", lambda: runs["once"].step(block)), ("each", lambda: [runs["each"].step() for _ in range(block)])):
                least[name][k] = min(least[name][k], seconds(do))
    return least["each"].sum() / least["once"].sum()


def forces(bodies, steps, turns):
    """ms per step beyond a run without forces: the least of `turns` repeats of the given number of steps."""
    side = round(bodies ** (1 / 3))
    places = numpy.stack(numpy.meshgrid(*3 * [0.1 * numpy.arange(side)]), -1).reshape(-1, 3)
    scene = scree.Scene(name="grid", gravity=[0, 0, 0], time_step=1e-3, end_time=1, materials=[dict(name="stone", density=1000)],
                        bodies=[dict(position=places, radius=numpy.full(len(places), 0.03))])
    nothing = numpy.zeros(places.shape)
    functions = {"none": None, "an array that is there": lambda b: nothing, "velocities": lambda b: -0.1 * b.velocity,
                 "velocities and positions": lambda b: -0.1 * b.velocity - 0.0 * b.position}
    runs = {name: scree.Run(scene, threads=1, forces=function) for name, function in functions.items()}
    least = dict.fromkeys(runs, numpy.inf)
    for _ in range(turns):
        for name, run in runs.items():
            least[name] = min(least[name], seconds(lambda: run.step(steps)) / steps * 1e3)
    return len(places), {name: value - least["none"] for name, value in least.items() if name != "none"}


def importing():
    """s, the least of five: import of the package alone, without NumPy, which loads with the first array."""
    code = "import time; start = time.perf_counter(); import scree; print(time.perf_counter() - start)"
    return min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(5))


if __name__ == "__main__":
    print(f"import scree: {importing():.3f} s")
    print(f"1,000 bodies, 1,000 steps one by one: {one_by_one(1000):.3f} times as long as at once")
    count, costs = forces(8000, 25, 40)
    for name, cost in costs.items():
        print(f"{count} bodies, forces from {name}: {cost:.3f} ms a step more")

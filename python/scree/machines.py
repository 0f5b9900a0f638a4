"""Machines for reinforcement learning: environments with the interface of Gymnasium, with or without its library."""

from __future__ import annotations

import csv
import multiprocessing
import pickle
import signal
import traceback
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy

from . import processes
from .errors import StepError
from .run import Run
from .scene import Scene, load

try:
    import gymnasium
except ImportError:
    gymnasium = None


class _Box:
    """Arrays between two bounds, as gymnasium.spaces.Box."""

    def __init__(self, low: Any, high: Any, shape: Optional[Tuple[int, ...]] = None, dtype: Any = numpy.float32):
        self.dtype = numpy.dtype(dtype)
        self.shape = tuple(shape) if shape is not None else numpy.shape(low)
        self.low = numpy.broadcast_to(numpy.asarray(low, self.dtype), self.shape).copy()
        self.high = numpy.broadcast_to(numpy.asarray(high, self.dtype), self.shape).copy()
        self.seed(None)

    def seed(self, seed: Optional[int] = None) -> None:
        """Starts the random numbers of sample() again."""
        self._random = numpy.random.default_rng(seed)

    def sample(self) -> Any:
        """Uniform between two bounds; exponential from a single bound; normal without bounds."""
        below, above = numpy.isfinite(self.low), numpy.isfinite(self.high)
        low, high = numpy.where(below, self.low, 0.0), numpy.where(above, self.high, 0.0)
        even = self._random.uniform(low, numpy.where(below & above, high, low))
        normal, far = self._random.normal(size=self.shape), self._random.exponential(size=self.shape)
        value = numpy.select([below & above, below, above], [even, low + far, high - far], normal)
        return value.astype(self.dtype)

    def contains(self, value: Any) -> bool:
        """Does the value have the shape, and is it within the bounds?"""
        array = numpy.asarray(value)
        return array.shape == self.shape and bool(numpy.all((array >= self.low) & (array <= self.high)))

    def __repr__(self) -> str:
        return f"Box({self.low.min()}, {self.high.max()}, {self.shape}, {self.dtype})"


class _Base:
    """Replaces gymnasium.Env where Gymnasium is not installed."""

    def reset(self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> Any:
        """Does nothing."""


Box: Any = gymnasium.spaces.Box if gymnasium is not None else _Box
_Environment: Any = gymnasium.Env if gymnasium is not None else _Base
Step = Tuple[Any, float, bool, bool, Dict[str, Any]]


def scenes_folder() -> Path:
    """The folder of the scenes that come with Scree."""
    here = Path(__file__).resolve()
    for folder in here.parents[:6]:  # a wheel or a clone; an installation
        for scenes in (folder / "scenes", folder / "share/scree/scenes"):
            if (scenes / "machines/excavator.toml").exists():
                return scenes
    raise FileNotFoundError(f"the scenes of Scree were not found above {here.parent}")


class Excavator(_Environment):
    """An excavator that fills its bucket: the machine of scenes/machines/excavator.toml in a bed of coarser grains.

    Three cylinders move boom, stick and bucket. An action contains their speeds, (3,) in [-1, 1] of `most_speed`. It is
    held for `period` seconds. Cylinders stop at the ends of their strokes.

    An observation is (14,). It contains, for each cylinder, the position in its stroke from 0 to 1 (3), the speed over
    `most_speed` (3) and the force over `most_force` (3). Then follow the mass in the bucket, kg (1), x and z of the
    bucket's edge, m (2), and the velocity of the edge, m/s (2). The edge is `level` - z below the surface of the bed at
    rest, where `level` (m) is the height of this surface.

    The reward of a step is the mass that came into the bucket, kg, minus `price` for each joule of the cylinders' work.
    Work that cylinders absorb gives no reward. An episode is truncated after `length` steps. It is terminated if the
    machine breaks: a step fails.

    `info` contains the mass in the bucket (`mass`, kg), the work of the step (`work`, J) and the depth of the edge
    (`depth`, m, negative above the bed).

    >>> environment = Excavator()
    >>> observation, info = environment.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = environment.step(environment.action_space.sample())
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 20}
    cylinders = ("boom_cylinder", "stick_cylinder", "bucket_cylinder")
    stroke = numpy.array([[-0.03, 0.067], [-0.117, 0.095], [-0.036, 0.19]])  # m, from the initial position
    most_speed = numpy.array([0.12, 0.25, 0.35])  # m/s
    most_force = numpy.array([8000.0, 6000.0, 4000.0])  # N
    # The bucket in its initial position, m: its profile across y, with room for grains heaped on it.
    _profile = numpy.array([[0.73, 0.59], [0.79, 0.61], [0.85, 0.54], [0.885, 0.46], [0.87, 0.38], [0.81, 0.325],
                            [0.69, 0.29], [0.665, 0.45]])
    _edge, _half_width = numpy.array([0.69, 0.0, 0.29]), 0.13

    def __init__(self, *, grains: int = 500, period: float = 0.05, length: int = 120, price: float = 1e-3,
                 threads: int = 1, render_mode: Optional[str] = None):
        self.period, self.length, self.price, self.render_mode = period, length, price, render_mode
        self.action_space = Box(-1.0, 1.0, (3,), numpy.float32)
        self.observation_space = Box(-numpy.inf, numpy.inf, (14,), numpy.float32)
        self._run = Run(excavator_scene(grains), threads=threads)
        self._count = round(period / self._run.time_step)  # steps of the run in one step of the environment
        if self._count < 1 or abs(self._count * self._run.time_step - period) > 1e-9:
            raise ValueError(f"period: must be a multiple of {self._run.time_step:g} s (value {period})")
        self._joints = [self._run.joints[name] for name in self.cylinders]
        self._shell = self._run.boundaries["bucket_shell"]
        self._shell_at_start = self._shell.position
        self._settle()
        self._settled = self._run.state()
        bodies = self._run.bodies
        self.level = 2.0 * float(numpy.average(bodies.position[:, 2], weights=bodies.mass))  # of a slab from z = 0
        self._random: Optional[numpy.random.Generator] = None
        self._steps, self._mass = 0, 0.0
        self._last_edge = self._edge[[0, 2]]

    def _settle(self) -> None:
        """Lets the bed come to rest: until no grain is faster than 1 mm/s. A few grains on the floor may roll on, so
        it takes at most 3 s."""
        fastest = numpy.inf
        while fastest > 1e-3 and self._run.time < 3.0:
            self._run.until(self._run.time + 0.5)
            fastest = numpy.linalg.norm(self._run.bodies.velocity, axis=1).max()

    @property
    def run(self) -> Run:
        """The run, for inspection."""
        return self._run

    def reset(self, *, seed: Optional[int] = None,
              options: Optional[Dict[str, Any]] = None) -> Tuple[Any, Dict[str, Any]]:
        """The machine over the bed at rest; the same seed gives the same bits. Cylinders are first moved by up to 5
        mm. Without a seed the last random numbers go on; before the first seed the machine has the position of the
        scene. There are no options."""
        super().reset(seed=seed)
        self._run.restore(self._settled)
        if seed is not None:
            self.action_space.seed(seed)
            self._random = numpy.random.default_rng(seed)
        if self._random is not None:
            steps = round(0.1 / self._run.time_step)
            self._drive(self._random.uniform(-0.005, 0.005, 3) / 0.1, steps)
            self._drive(numpy.zeros(3), steps // 2)
        self._steps = 0
        self._mass = self.mass_in_bucket()
        return self._observe(), self._info(0.0)

    def step(self, action: Any) -> Step:
        """Advances by one period with these speeds."""
        action = numpy.asarray(action, dtype=float)
        if action.shape != (3,) or not numpy.all(numpy.isfinite(action)):
            raise ValueError(f"action: must be three finite numbers (value {action})")
        speeds = numpy.clip(action, -1.0, 1.0) * self.most_speed
        place = self._places()
        low, high = (self.stroke.T - place) / self.period
        speeds = numpy.clip(speeds, low, high)
        self._steps += 1
        try:
            work = self._drive(speeds, self._count)
        except StepError as fault:  # the machine breaks, or a step of the grains fails
            self._run.restore(self._settled)
            self._mass = self.mass_in_bucket()
            return self._observe(), 0.0, True, False, {**self._info(0.0), "fault": str(fault)}
        before, self._mass = self._mass, self.mass_in_bucket()
        reward = float(self._mass - before - self.price * max(work, 0.0))
        return self._observe(), reward, False, self._steps >= self.length, self._info(work)

    def mass_in_bucket(self) -> float:
        """kg of grains with centres in the bucket."""
        bodies = self._run.bodies
        return float(bodies.mass[self._in_bucket(bodies.position)].sum())

    def render(self) -> Any:
        """(480, 640, 3) uint8: a side view of grains and bucket, drawn by matplotlib."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.collections import EllipseCollection
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6.4, 4.8), dpi=100)
        canvas = FigureCanvasAgg(figure)
        axes = figure.add_axes((0.1, 0.1, 0.85, 0.85))
        bodies = self._run.bodies
        sizes = 2 * numpy.cbrt(bodies.semi_axes.prod(axis=1))
        grains = EllipseCollection(sizes, sizes, numpy.zeros(len(sizes)), units="xy",
                                   offsets=bodies.position[:, [0, 2]], transOffset=axes.transData, edgecolors="0.3",
                                   linewidths=0.3)
        grains.set_array(self._in_bucket(bodies.position).astype(float))
        axes.add_collection(grains)
        profile = numpy.insert(self._profile[:7], 1, 0.0, axis=1)
        corners = self._rotation() @ (profile - self._shell_at_start).T + self._shell.position[:, None]
        axes.plot(corners[0], corners[2], "k-", linewidth=2)
        axes.set(xlim=(-0.4, 1.1), ylim=(-0.05, 1.1), xlabel="x (m)", ylabel="z (m)", aspect="equal")
        canvas.draw()
        return numpy.asarray(canvas.buffer_rgba())[..., :3].copy()

    def close(self) -> None:
        """Does nothing; no resource is open."""

    # Implementation.

    def _places(self) -> Any:
        return numpy.array([joint.coordinate for joint in self._joints])

    def _drive(self, speeds: Any, steps: int) -> float:
        """Holds speeds (m/s) for the given number of steps of the run; returns the cylinders' work, J."""
        work = 0.0
        for joint, speed in zip(self._joints, speeds):
            joint.motor = float(speed)
        for _ in range(steps):
            self._run.step()
            work += sum(joint.motor_work_J for joint in self._joints)
        return work

    def _info(self, work: float) -> Dict[str, Any]:
        """Call after _observe(), which finds the edge."""
        return {"mass": self._mass, "work": work, "depth": float(self.level - self._last_edge[1])}

    def _rotation(self) -> Any:
        w, x, y, z = self._shell.orientation
        return numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])

    def _in_bucket(self, position: Any) -> Any:
        """(n,) whether points are in the bucket, in its initial position: within its profile, and between its
        sides."""
        x, y, z = (self._rotation().T @ (position - self._shell.position).T) + self._shell_at_start[:, None]
        inside = numpy.zeros(len(x), dtype=bool)
        for (x0, z0), (x1, z1) in zip(self._profile, numpy.roll(self._profile, -1, axis=0)):
            crosses = (z0 > z) != (z1 > z)
            with numpy.errstate(divide="ignore", invalid="ignore"):
                inside ^= crosses & (x < (x1 - x0) * (z - z0) / (z1 - z0) + x0)
        return inside & (numpy.abs(y) < self._half_width)

    def _observe(self) -> Any:
        place = (self._places() - self.stroke[:, 0]) / (self.stroke[:, 1] - self.stroke[:, 0])
        rate = numpy.array([joint.rate for joint in self._joints]) / self.most_speed
        force = numpy.array([joint.motor_force for joint in self._joints]) / self.most_force
        arm = self._rotation() @ (self._edge - self._shell_at_start)
        edge = arm + self._shell.position
        speed = numpy.array([0.0, 0.0])
        if self._steps > 0:
            speed = (edge[[0, 2]] - self._last_edge) / self.period
        self._last_edge = edge[[0, 2]]
        return numpy.concatenate([place, rate, force, [self._mass], edge[[0, 2]], speed]).astype(numpy.float32)


def excavator_scene(grains: int = 500) -> Scene:
    """The excavator over a bed of the given number of grains of 3 cm; speeds drive its cylinders."""
    file = scenes_folder() / "machines/excavator.toml"
    scene = load(file).to_dict()
    scene.update(name="excavator_bed", time_step=0.005, end_time=1000.0)  # grains of 3 cm at 0.3 m/s: 1.5 mm per step
    for joint in scene["joints"]:
        if "motor" in joint:
            joint["motor"] = {"type": "speed", "value": 0.0, "most": joint["motor"]["most"]}
    scene["boundaries"] = [wall for wall in scene["boundaries"] if wall["name"] != "bin"]
    scene["materials"][0]["friction"] = 0.4
    scene["bodies"] = [{"generate": "dense", "count": grains, "semi_axes": [0.034, 0.03, 0.026], "seed": 1,
                        "region": {"type": "box", "low": [-0.099, -0.219, 0.001], "high": [0.919, 0.219, 0.21]}}]
    return Scene(scene, folder=file.parent)


class Dig:
    """A policy: the cylinders follow the scene's own tables, until the bucket is lifted, at `pace` times the
    speed."""

    lifted = 6.0  # s, in the tables

    def __init__(self, environment: Excavator, pace: float = 1.0):
        self._environment = environment
        self._pace = pace
        folder = scenes_folder() / "machines"
        self._tables = [_table(folder / f"excavator_{name}.csv") for name in ("boom", "stick", "bucket")]
        self._step = 0

    def __call__(self, observation: Any) -> Any:
        """The next action."""
        environment = self._environment
        self._step += 1
        time = min(self._step * environment.period * self._pace, self.lifted)
        wanted = numpy.array([numpy.interp(time, *table) for table in self._tables])
        low, high = environment.stroke.T
        place = low + numpy.asarray(observation[:3], dtype=float) * (high - low)
        return ((wanted - place) / environment.period / environment.most_speed).clip(-1.0, 1.0).astype(numpy.float32)


def _table(path: Path) -> Tuple[List[float], List[float]]:
    with path.open(encoding="utf-8") as file:
        rows = [row for row in csv.reader(file)][1:]
    return [float(row[0]) for row in rows], [float(row[1]) for row in rows]


class VectorEnv:
    """Several environments, each in its own process, stepped together, on stacked arrays.

    ``make``: a function of a module that returns an environment, such as ``Excavator``. A function of a notebook needs
    cloudpickle. Scripts must start their work below ``if __name__ == "__main__":``. An environment which has ended
    starts again at once. The observation is then the first one of the next episode, and
    ``infos[k]["final_observation"]`` contains the last one of the finished episode.

    An error in an environment is raised here as RuntimeError with its message; the others have completed their step.
    """

    def __init__(self, make: Callable[[], Any], count: int):
        if count < 1:
            raise ValueError(f"count: must be positive (value {count})")
        try:
            pickled = processes.pickled(make, [make])
        except TypeError as why:
            raise TypeError(f"make: other processes cannot load {make!r} ({why}): put it into a module, or install "
                            "cloudpickle") from None
        context = multiprocessing.get_context("spawn")
        self.count = count
        self._pipes: List[Any] = []
        self._processes: List[Any] = []
        try:
            for _ in range(count):
                here, there = context.Pipe()
                process = context.Process(target=_serve, args=(there,), daemon=True)
                self._pipes.append(here)
                process.start()
                self._processes.append(process)
                there.close()
            self._answers("before it began; what a script does must stand below  if __name__ == '__main__':  for every "
                          "process reads the script again")
            self.observation_space, self.action_space = self._ask_all("make", [pickled] * count)[0]
        except BaseException:
            self.close()
            raise

    def reset(self, *, seed: Union[int, Sequence[int], None] = None,
              options: Optional[Dict[str, Any]] = None) -> Tuple[Any, List[Dict[str, Any]]]:
        """(count, ...) observations, and infos; environment k uses the seed + k, or seed[k] of a list."""
        if seed is None or isinstance(seed, (int, numpy.integer)):
            seeds = [None if seed is None else int(seed) + k for k in range(self.count)]
        else:
            seeds = [int(one) for one in seed]
        self._expect("seeds", seeds)
        outcomes = self._ask_all("reset", [(one, options) for one in seeds])
        return numpy.stack([o for o, _ in outcomes]), [info for _, info in outcomes]

    def step(self, actions: Sequence[Any]) -> Tuple[Any, Any, Any, Any, List[Dict[str, Any]]]:
        """(count, ...) observations, (count,) rewards, terminated, truncated, and infos."""
        self._expect("actions", actions)
        observations, rewards, terminated, truncated, infos = zip(*self._ask_all("step", list(actions)))
        return (numpy.stack(observations), numpy.array(rewards), numpy.array(terminated), numpy.array(truncated),
                list(infos))

    def close(self) -> None:
        """Ends the processes."""
        for pipe in self._pipes:
            try:
                pipe.send(("close", None))
            except OSError:
                pass
        for process in self._processes:
            process.join(10)
            if process.is_alive():
                process.kill()
                process.join()
        for pipe in self._pipes:
            pipe.close()
        self._pipes, self._processes = [], []

    def __enter__(self) -> "VectorEnv":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def _expect(self, name: str, values: Sequence[Any]) -> None:
        if not self._pipes:
            raise RuntimeError("the environments are closed")
        if len(values) != self.count:
            raise ValueError(f"{name}: must have {self.count} entries (value {len(values)})")

    def _ask_all(self, what: str, values: Sequence[Any]) -> List[Any]:
        for pipe, value in zip(self._pipes, values):
            try:
                pipe.send((what, value))
            except OSError:
                pass  # it has ended, which its answer shows
        return self._answers()

    def _answers(self, when: str = "by itself") -> List[Any]:
        """Answers of all, before an error is raised: no answer remains for the next question."""
        answers, faults = [], []
        for number, pipe in enumerate(self._pipes):
            try:
                good, answer = pipe.recv()
            except (EOFError, OSError):
                self._processes[number].join(5)
                good, answer = False, f"its process ended ({processes.how_it_ended(self._processes[number])}) {when}"
            except KeyboardInterrupt:  # lost answers would be taken for those of the next question
                self.close()
                raise
            answers.append(answer)
            if not good:
                faults.append(f"environment {number}: {answer}")
        if faults:
            raise RuntimeError("\n".join(faults))
        return answers


def _serve(pipe: Any) -> None:
    """A process with an environment: answers questions until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent process
    environment: Any = None
    try:
        pipe.send((True, None))
        while True:
            what, value = pipe.recv()
            if what == "close":
                break
            try:
                if what == "make":
                    environment = pickle.loads(value)()
                answer = True, _answer_to(environment, what, value)
            except Exception as fault:
                answer = False, f"{type(fault).__name__}: {fault}\n{traceback.format_exc()}"
            pipe.send(answer)
    except (EOFError, ConnectionError):  # the parent process has ended
        pass
    if hasattr(environment, "close"):
        environment.close()


def _answer_to(environment: Any, what: str, value: Any) -> Any:
    if what == "make":
        return environment.observation_space, environment.action_space
    if what == "reset":
        seed, options = value
        return environment.reset(seed=seed, options=options)
    observation, reward, terminated, truncated, info = environment.step(value)
    if terminated or truncated:
        first, _ = environment.reset()
        return first, reward, terminated, truncated, {**info, "final_observation": observation}
    return observation, reward, terminated, truncated, info

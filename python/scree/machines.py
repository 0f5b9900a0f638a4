"""Machines to learn with: environments by the interface of Gymnasium, whose library may be there or not."""

from __future__ import annotations

import csv
import multiprocessing
import pickle
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy

from .run import Run
from .scene import Scene, load

try:
    import gymnasium

    _Environment: Any = gymnasium.Env
    Box: Any = gymnasium.spaces.Box
except ImportError:
    _Environment = object

    class Box:  # type: ignore[no-redef]
        """Arrays between two bounds, as gymnasium.spaces.Box."""

        def __init__(self, low: Any, high: Any, shape: Optional[Tuple[int, ...]] = None, dtype: Any = numpy.float32):
            self.dtype = numpy.dtype(dtype)
            self.shape = tuple(shape) if shape is not None else numpy.shape(low)
            self.low = numpy.broadcast_to(numpy.asarray(low, self.dtype), self.shape).copy()
            self.high = numpy.broadcast_to(numpy.asarray(high, self.dtype), self.shape).copy()
            self.seed(None)

        def seed(self, seed: Optional[int]) -> None:
            self._random = numpy.random.default_rng(seed)

        def sample(self) -> Any:
            """Even between bounds; normal where there are none."""
            bounded = numpy.isfinite(self.low) & numpy.isfinite(self.high)
            even = self._random.uniform(numpy.where(bounded, self.low, 0.0), numpy.where(bounded, self.high, 1.0))
            return numpy.where(bounded, even, self._random.normal(size=self.shape)).astype(self.dtype)

        def contains(self, value: Any) -> bool:
            array = numpy.asarray(value)
            return array.shape == self.shape and bool(numpy.all((array >= self.low) & (array <= self.high)))

        def __repr__(self) -> str:
            return f"Box({self.low.min()}, {self.high.max()}, {self.shape}, {self.dtype})"


Step = Tuple[Any, float, bool, bool, Dict[str, Any]]


def scenes_folder() -> Path:
    """Where the scenes are that come with Scree."""
    here = Path(__file__).resolve()
    for folder in here.parents[:6]:  # of a wheel and of a clone; of an installation
        for scenes in (folder / "scenes", folder / "share/scree/scenes"):
            if (scenes / "machines/excavator.toml").exists():
                return scenes
    raise FileNotFoundError(f"the scenes that come with Scree are not found above {here.parent}")


class Excavator(_Environment):  # type: ignore[misc]
    """An excavator that fills its bucket: the machine of scenes/machines/excavator.toml in a bed of coarser grains.

    Three cylinders move boom, stick and bucket. An action is their speeds, (3,) in [-1, 1] of `most_speed`; it is held
    for `period` seconds. Cylinders stop at the ends of their strokes.

    An observation is (14,): of each cylinder where it is in its stroke, 0 to 1 (3); its speed, of `most_speed` (3); its
    force, of the most it has (3); the mass in the bucket, kg (1); x and z of the bucket's edge, m (2); how fast
    it goes, m/s (2).

    The reward of a step is the mass that came into the bucket, kg, less `price` for each joule of the cylinders' work.
    An episode is cut off (truncated) after `length` steps; it ends (terminated) where the machine breaks: a step that
    cannot be done.

    >>> environment = Excavator()
    >>> observation, info = environment.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = environment.step(environment.action_space.sample())
    """

    metadata = {"render_modes": ["rgb_array"]}
    cylinders = ("boom_cylinder", "stick_cylinder", "bucket_cylinder")
    stroke = numpy.array([[-0.03, 0.067], [-0.117, 0.095], [-0.036, 0.19]])  # m, from where it stands at the start
    most_speed = numpy.array([0.12, 0.25, 0.35])  # m/s
    most_force = numpy.array([8000.0, 6000.0, 4000.0])  # N
    # The bucket where it is at the start, m: its profile across y, with room for what is heaped on it.
    _profile = numpy.array([[0.73, 0.59], [0.79, 0.61], [0.85, 0.54], [0.885, 0.46], [0.87, 0.38], [0.81, 0.325],
                            [0.69, 0.29], [0.665, 0.45]])
    _edge, _half_width = numpy.array([0.69, 0.0, 0.29]), 0.13

    def __init__(self, *, grains: int = 500, period: float = 0.05, length: int = 120, price: float = 1e-3, threads: int = 1,
                 render_mode: Optional[str] = None):
        self.period, self.length, self.price, self.render_mode = period, length, price, render_mode
        self.action_space = Box(-1.0, 1.0, (3,), numpy.float32)
        self.observation_space = Box(-numpy.inf, numpy.inf, (14,), numpy.float32)
        self._run = Run(excavator_scene(grains), threads=threads)
        self._joints = [self._run.joints[name] for name in self.cylinders]
        self._shell = self._run.boundaries["bucket_shell"]
        self._shell_at_start = self._shell.position
        self._run.until(0.5)  # the bed comes to rest
        self._settled = self._run.state()
        self._steps, self._mass = 0, 0.0
        self._last_edge = self._edge[[0, 2]]

    @property
    def run(self) -> Run:
        """The run, to look at."""
        return self._run

    def reset(self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> Tuple[Any, Dict[str, Any]]:
        """The machine over the bed at rest, the same bits for the same seed. A seed moves its cylinders by up to 5 mm
        at first; without one it stands as the scene has it."""
        self._run.restore(self._settled)
        if seed is not None:
            self.action_space.seed(seed)
            moves = numpy.random.default_rng(seed).uniform(-0.005, 0.005, 3)
            self._drive(moves / 0.1, 0.1)
            self._drive(numpy.zeros(3), 0.05)
        self._steps = 0
        self._mass = self.mass_in_bucket()
        return self._observe(), {"mass": self._mass, "work": 0.0}

    def step(self, action: Any) -> Step:
        """One period with these speeds."""
        action = numpy.asarray(action, dtype=float)
        if action.shape != (3,) or not numpy.all(numpy.isfinite(action)):
            raise ValueError(f"action: must be three finite numbers (value {action})")
        speeds = numpy.clip(action, -1.0, 1.0) * self.most_speed
        place = self._places()
        speeds = numpy.clip(speeds, (self.stroke[:, 0] - place) / self.period, (self.stroke[:, 1] - place) / self.period)
        self._steps += 1
        try:
            work = self._drive(speeds, self.period)
        except RuntimeError as fault:  # the machine is broken, or the grains are
            self._run.restore(self._settled)
            return self._observe(), 0.0, True, False, {"mass": 0.0, "work": 0.0, "fault": str(fault)}
        before, self._mass = self._mass, self.mass_in_bucket()
        reward = float(self._mass - before - self.price * max(work, 0.0))
        return self._observe(), reward, False, self._steps >= self.length, {"mass": self._mass, "work": work}

    def mass_in_bucket(self) -> float:
        """kg of grains whose centres are in the bucket."""
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
        grains = EllipseCollection(sizes, sizes, numpy.zeros(len(sizes)), units="xy", offsets=bodies.position[:, [0, 2]],
                                   transOffset=axes.transData, edgecolors="0.3", linewidths=0.3)
        grains.set_array(self._in_bucket(bodies.position).astype(float))
        axes.add_collection(grains)
        profile = numpy.insert(self._profile[:7], 1, 0.0, axis=1)
        corners = self._rotation() @ (profile - self._shell_at_start).T + self._shell.position[:, None]
        axes.plot(corners[0], corners[2], "k-", linewidth=2)
        axes.set(xlim=(-0.4, 1.1), ylim=(-0.05, 1.1), xlabel="x (m)", ylabel="z (m)", aspect="equal")
        canvas.draw()
        return numpy.asarray(canvas.buffer_rgba())[..., :3].copy()

    def close(self) -> None:
        """Nothing is left open."""

    # How it works.

    def _places(self) -> Any:
        return numpy.array([joint.coordinate for joint in self._joints])

    def _drive(self, speeds: Any, duration: float) -> float:
        """Holds speeds (m/s) for a time (s); gives the cylinders' work, J."""
        work = 0.0
        for joint, speed in zip(self._joints, speeds):
            joint.motor = float(speed)
        pieces = 5
        for _ in range(pieces):
            self._run.step(round(duration / self._run.time_step / pieces))
            work += sum(j.motor_force * j.rate for j in self._joints) * duration / pieces
        return work

    def _rotation(self) -> Any:
        w, x, y, z = self._shell.orientation
        return numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])

    def _in_bucket(self, position: Any) -> Any:
        """(n,) are points in the bucket? As it was at the start: within its profile, and between its sides."""
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
    """The excavator over a bed of so many grains of 3 cm, its cylinders driven by speeds."""
    file = scenes_folder() / "machines/excavator.toml"
    scene = load(file).to_dict()
    scene.update(name="excavator_bed", time_step=0.002, end_time=1000.0)
    for joint in scene["joints"]:
        if "motor" in joint:
            joint["motor"] = {"type": "speed", "value": 0.0, "most": joint["motor"]["most"]}
    scene["boundaries"] = [wall for wall in scene["boundaries"] if wall["name"] != "bin"]
    scene["materials"][0]["friction"] = 0.4
    scene["bodies"] = [{"generate": "dense", "count": grains, "semi_axes": [0.034, 0.03, 0.026], "seed": 1,
                        "region": {"type": "box", "low": [-0.099, -0.219, 0.001], "high": [0.919, 0.219, 0.21]}}]
    return Scene(scene, folder=file.parent)


class Dig:
    """A policy: the cylinders go the way that the scene's own tables have, up to where the bucket is lifted, `pace` times
    as fast."""

    lifted = 6.0  # s, in the tables

    def __init__(self, environment: Excavator, pace: float = 1.0):
        self._environment = environment
        self._pace = pace
        self._tables = [_table(scenes_folder() / f"machines/excavator_{name}.csv") for name in ("boom", "stick", "bucket")]
        self._step = 0

    def __call__(self, observation: Any) -> Any:
        """The action that comes next."""
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
    """Several environments in processes of their own, stepped together, on stacked arrays.

    ``make``: a function of a module that gives an environment, such as ``Excavator``. One that has ended begins anew at
    once: its last observation is then in ``infos[k]["final_observation"]``.
    """

    def __init__(self, make: Callable[[], Any], count: int):
        context = multiprocessing.get_context("spawn")
        self.count = count
        self._pipes, self._processes = [], []
        for _ in range(count):
            here, there = context.Pipe()
            process = context.Process(target=_serve, args=(make, there), daemon=True)
            process.start()
            there.close()
            self._pipes.append(here)
            self._processes.append(process)
        self.observation_space, self.action_space = self._ask(0, "spaces", None)

    def reset(self, *, seed: Optional[int] = None) -> Tuple[Any, List[Dict[str, Any]]]:
        """(count, ...) observations, and infos; environment k has the seed + k."""
        outcomes = self._ask_all("reset", [None if seed is None else seed + k for k in range(self.count)])
        return numpy.stack([o for o, _ in outcomes]), [info for _, info in outcomes]

    def step(self, actions: Sequence[Any]) -> Tuple[Any, Any, Any, Any, List[Dict[str, Any]]]:
        """(count, ...) observations, (count,) rewards, terminated, truncated, and infos."""
        if len(actions) != self.count:
            raise ValueError(f"actions: there must be {self.count} (value {len(actions)})")
        observations, rewards, terminated, truncated, infos = zip(*self._ask_all("step", list(actions)))
        return numpy.stack(observations), numpy.array(rewards), numpy.array(terminated), numpy.array(truncated), list(infos)

    def close(self) -> None:
        """Ends the processes."""
        for pipe, process in zip(self._pipes, self._processes):
            try:
                pipe.send(("close", None))
            except (BrokenPipeError, OSError):
                pass
            process.join(10)
            if process.is_alive():
                process.terminate()
            pipe.close()
        self._pipes, self._processes = [], []

    def __enter__(self) -> "VectorEnv":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def _ask_all(self, what: str, values: List[Any]) -> List[Any]:
        for pipe, value in zip(self._pipes, values):
            pipe.send((what, value))
        return [self._answer(k) for k in range(self.count)]

    def _ask(self, number: int, what: str, value: Any) -> Any:
        self._pipes[number].send((what, value))
        return self._answer(number)

    def _answer(self, number: int) -> Any:
        try:
            good, answer = self._pipes[number].recv()
        except EOFError:
            raise RuntimeError(f"the process of environment {number} is gone") from None
        if not good:
            raise RuntimeError(f"environment {number}: {answer}")
        return answer


def _serve(make: Callable[[], Any], pipe: Any) -> None:
    environment = None
    while True:
        try:
            what, value = pipe.recv()
        except (EOFError, KeyboardInterrupt):
            return
        if what == "close":
            return
        try:
            if environment is None:
                environment = make()
            pipe.send((True, _answer_to(environment, what, value)))
        except Exception as fault:
            pipe.send((False, f"{type(fault).__name__}: {fault}"))


def _answer_to(environment: Any, what: str, value: Any) -> Any:
    if what == "spaces":
        return pickle.loads(pickle.dumps((environment.observation_space, environment.action_space)))
    if what == "reset":
        return environment.reset(seed=value)
    observation, reward, terminated, truncated, info = environment.step(value)
    if terminated or truncated:
        first, _ = environment.reset()
        return first, reward, terminated, truncated, {**info, "final_observation": observation}
    return observation, reward, terminated, truncated, info

"""Runs of a study: each in a process and a folder of its own, kept there, gone on with after a kill."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Deque, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from . import program, toml
from .study_reader import StudyError, read_toml

INTERRUPTED = 130  # tools/exit_codes.h
BAD_SCENE = 3

FINISHED, FAILED, CUT_OFF, RUNNING, TO_DO = "finished", "failed", "cut off", "running", "to do"


@dataclass(frozen=True)
class Job:
    """One run."""

    scene: Path
    overrides: Dict[str, Any]
    number: int  #: in the study
    identity: str  #: another one for another scene, file that it names, or value
    said: str  #: for people: "friction = 0.4, seed 2"

    @property
    def sets(self) -> List[str]:
        return [word for key, value in self.overrides.items() for word in ("--set", f"{key}={toml.to_value(value)}")]


@dataclass
class Outcome:
    """What came of a run so far."""

    status: str
    folder: Path
    summary: Dict[str, Any] = field(default_factory=dict)
    error: str = ""
    seconds: Optional[float] = None  #: of the wall, of all attempts
    memory_mb: Optional[float] = None
    exit: int = 0

    @property
    def verdict(self) -> str:
        verdict = self.summary.get("verdict")
        return str(verdict.get("grade", "")) if isinstance(verdict, dict) else ""


class Identities:
    """Names of runs by what they do; files are read once."""

    def __init__(self) -> None:
        self._scenes: Dict[Path, str] = {}

    def of(self, scene: Path, overrides: Mapping[str, Any]) -> str:
        if scene not in self._scenes:
            self._scenes[scene] = self._scene(scene)
        values = {key: toml.to_value(value) for key, value in overrides.items()}
        said = [scene.name, self._scenes[scene], values]
        files = hashlib.sha256()
        if self._add_files(scene, dict(overrides), files):
            said.append(files.hexdigest())
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:12]

    @staticmethod
    def _add_files(scene: Path, values: Any, text: Any) -> bool:
        """Adds the contents of files that values name; true if there are any."""
        found = False
        for name in sorted(set(_texts(values))):
            with contextlib.suppress(OSError, ValueError):
                path = scene.parent / name
                if name and path.is_file():
                    text.update(name.encode() + hashlib.sha256(path.read_bytes()).digest())
                    found = True
        return found

    def _scene(self, scene: Path) -> str:
        """By its values, so that a comment is no change, and by the files that it names."""
        text = hashlib.sha256()
        try:
            values: Any = read_toml(scene)
        except StudyError:
            values = scene.read_text(encoding="utf-8", errors="replace")  # `scree check` tells
        text.update(json.dumps(values, sort_keys=True, default=str).encode())
        self._add_files(scene, values, text)
        return text.hexdigest()


def _texts(values: Any) -> Iterator[str]:
    if isinstance(values, str) and len(values) < 300 and "\n" not in values:
        yield values
    elif isinstance(values, dict):
        for value in values.values():
            yield from _texts(value)
    elif isinstance(values, list) and not (values and isinstance(values[0], (int, float))):
        for value in values:
            yield from _texts(value)


def write_whole(path: Path, text: str) -> None:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    passing = path.with_name(f".{path.name}.{os.getpid()}.passing")
    passing.write_text(text, encoding="utf-8")
    os.replace(passing, path)


def read_json(path: Path) -> Dict[str, Any]:
    """Empty where it is not there or not whole."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return values if isinstance(values, dict) else {}


class Shelf:
    """The folder of a study's runs. Each has a folder NUMBER_IDENTITY; .log has what was printed, .json what came."""

    def __init__(self, folder: Path):
        self.folder = folder / "runs"
        self._names: Dict[str, str] = {}
        self._look()

    def _look(self) -> None:
        if self.folder.is_dir():
            for path in sorted(self.folder.iterdir()):
                match = re.fullmatch(r"(\d+_([0-9a-f]{12}))(\.log|\.json)?", path.name)
                if match:
                    self._names.setdefault(match[2], match[1])

    def path(self, job: Job) -> Path:
        """Numbers of points may change when a study grows: the run is known by its identity."""
        return self.folder / self._names.setdefault(job.identity, f"{job.number:04d}_{job.identity}")

    def log(self, job: Job) -> Path:
        return Path(f"{self.path(job)}.log")

    def record(self, job: Job) -> Dict[str, Any]:
        return read_json(Path(f"{self.path(job)}.json"))

    def keep(self, job: Job, record: Mapping[str, Any]) -> None:
        about = {"scene": str(job.scene), "set": job.overrides}
        write_whole(Path(f"{self.path(job)}.json"), json.dumps({**about, **record}, indent=1) + "\n")

    def outcome(self, job: Job, has_ended: bool = False) -> Outcome:
        """What is there of it. ``has_ended``: nobody is at it any more."""
        folder = self.path(job)
        record = self.record(job)
        summary = read_json(folder / "summary.json")
        seconds, memory = record.get("seconds", summary.get("wall_time_s")), record.get("memory_mb")
        error, code = str(record.get("error", "")), int(record.get("exit", 0))
        found = Outcome(TO_DO, folder, summary, error, seconds, memory, code)
        if summary.get("status") == "finished":
            found.status, found.error, found.exit = FINISHED, "", 0
        elif not has_ended and self.is_taken(job):
            found.status = RUNNING
        elif record.get("status") == FAILED or summary.get("status") == "failed":
            found.status = FAILED
            found.error = found.error or _last_words(self.log(job), 0) or "the run failed"
        elif folder.is_dir():
            found.status = CUT_OFF
        return found

    def is_taken(self, job: Job) -> bool:
        """Whether some process is at it."""
        try:
            with open(self.log(job), "rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return False

    def take(self, job: Job) -> Optional[int]:
        """Its log, locked as long as anybody holds it open: a run that has lost its parent too. None: it is taken."""
        self.folder.mkdir(parents=True, exist_ok=True)
        file = os.open(self.log(job), os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(file)
            return None
        return file


def _last_words(log: Path, offset: int) -> str:
    """The errors that were printed, or the last line."""
    try:
        lines = log.read_bytes()[offset:].decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    lines = [line.strip() for line in lines if line.strip()]
    errors = list(dict.fromkeys(line[len("error:"):].strip() for line in lines if line.startswith("error:")))
    return "; ".join(errors[:5]) or (lines[-1] if lines else "")


def how_it_ended(code: int) -> str:
    if code >= 0:
        return f"exit status {code}"
    name = signal.Signals(-code).name if -code in {int(s) for s in signal.Signals} else f"signal {-code}"
    return f"ended by {name}" + (", as where memory is short" if name == "SIGKILL" else "")


class Signals:
    """Ctrl-C, SIGTERM and SIGHUP are counted while it is open."""

    _WHICH = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def __init__(self) -> None:
        self.count = 0
        self._before: Dict[int, Any] = {}

    def __enter__(self) -> "Signals":
        for which in self._WHICH:
            if signal.getsignal(which) is not signal.SIG_IGN:  # as nohup has it
                self._before[which] = signal.signal(which, self._on_signal)
        return self

    def __exit__(self, *what: object) -> None:
        for which, handler in self._before.items():
            signal.signal(which, handler)

    def _on_signal(self, which: int, frame: object) -> None:
        self.count += 1


@dataclass
class _Running:
    job: Job
    process: "subprocess.Popen[bytes]"
    since: float
    offset: int  # of what it prints, in the log
    before: float  # seconds of attempts before
    memory_mb: float = 0.0


class Crew:
    """Runs jobs side by side, as many as workers and memory allow; one is always at work."""

    def __init__(self, shelf: Shelf, *, workers: int, threads: int, memory_mb: Optional[float] = None,
                 forecast_mb: float = 0.0):
        self._shelf, self._workers, self._threads, self._limit = shelf, workers, threads, memory_mb
        self._forecast = forecast_mb  # of one run: what `scree check` says, or the most that one took
        self._running: List[_Running] = []
        self.program = program.path()

    def run(self, jobs: Sequence[Job], *, retry: bool, done: Callable[[Job, Outcome], None], signals: Signals) -> None:
        """Does what is to do; ``done`` hears of each, once of jobs with the same identity. Ends early, with all runs
        stopped, after a signal, or where ``done`` raises."""
        waiting: Deque[Job] = deque()
        first: Dict[str, Job] = {}
        for job in jobs:
            first.setdefault(job.identity, job)
        for job in first.values():
            outcome = self._shelf.outcome(job)
            self._forecast = max(self._forecast, outcome.memory_mb or 0.0)
            if outcome.status not in (FINISHED, FAILED) or (outcome.status == FAILED and retry):
                waiting.append(job)
        elsewhere: List[Job] = []
        told = False
        try:
            while (waiting or self._running or elsewhere) and not signals.count:
                while waiting and len(self._running) < self._workers and self._fits():
                    job = waiting.popleft()
                    if not self._start(job, retry):
                        elsewhere.append(job)
                for job, outcome in self._ended():
                    done(job, outcome)
                if elsewhere and not waiting and not self._running:  # others are at them: what is left, when they end
                    if not told:
                        print(f"waiting for {len(elsewhere)} runs that other processes are at", file=sys.stderr,
                              flush=True)
                        told = True
                    elsewhere = self._look_again(elsewhere, waiting, done)
                time.sleep(0.05 if self._running or waiting else 0.5 if elsewhere else 0.0)
        finally:
            for job, outcome in self._stop(signals):
                with contextlib.suppress(StudyError):
                    done(job, outcome)

    def _look_again(self, jobs: List[Job], waiting: Deque[Job], done: Callable[[Job, Outcome], None]) -> List[Job]:
        still = []
        for job in jobs:
            outcome = self._shelf.outcome(job)
            if outcome.status == RUNNING:
                still.append(job)
            elif outcome.status in (FINISHED, FAILED):
                done(job, outcome)
            else:
                waiting.append(job)
        return still

    def _start(self, job: Job, retry: bool) -> bool:
        log = self._shelf.take(job)
        if log is None:
            return False
        try:
            record = self._shelf.record(job)
            folder = self._shelf.path(job)
            anew = retry and read_json(folder / "summary.json").get("status") == "failed"
            where = ["-o", str(folder), "--overwrite"] if anew else ["--resume", str(folder)]
            command = [self.program, "run", str(job.scene), *job.sets, "--threads", str(self._threads), "-q", *where]
            offset = os.fstat(log).st_size
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                       start_new_session=True)
        finally:
            os.close(log)
        self._running.append(_Running(job, process, time.monotonic(), offset, float(record.get("seconds") or 0.0)))
        return True

    def _fits(self) -> bool:
        """Whether one more would have memory. What has begun may grow to the forecast yet."""
        if not self._running:
            return True
        need = self._forecast * 1.1
        if self._limit is not None and need * (len(self._running) + 1) > self._limit:
            return False
        growth = sum(max(0.0, self._forecast - _memory_of(running.process.pid, "VmRSS")) for running in self._running)
        return need + growth <= _memory_available()

    def _ended(self) -> List[Tuple[Job, Outcome]]:
        found = []
        for running in list(self._running):
            running.memory_mb = max(running.memory_mb, _memory_of(running.process.pid, "VmHWM"))
            if running.process.poll() is not None:
                self._running.remove(running)
                found.append((running.job, self._record(running)))
        return found

    def _record(self, running: _Running) -> Outcome:
        """Keeps what came of a process, so that it is known later."""
        job, code = running.job, running.process.returncode
        summary = read_json(self._shelf.path(job) / "summary.json")
        record: Dict[str, Any] = {"exit": code, "seconds": running.before + time.monotonic() - running.since,
                                  "memory_mb": running.memory_mb or None, "status": FINISHED}
        self._forecast = max(self._forecast, running.memory_mb)
        if summary.get("status") == "failed" or (code > 0 and code != INTERRUPTED):
            words = _last_words(self._shelf.log(job), running.offset)
            record.update(status=FAILED, error=words or how_it_ended(code))
        elif code != 0:
            record.update(status=CUT_OFF, error="" if code == INTERRUPTED else how_it_ended(code))
        elif summary.get("status") != "finished":
            record.update(status=FAILED, error="the run ended without summary.json")
        self._shelf.keep(job, record)
        return self._shelf.outcome(job, has_ended=True)

    def _stop(self, signals: Signals) -> List[Tuple[Job, Outcome]]:
        """They finish their step and close their files; after a second signal at once."""
        for running in self._running:
            running.process.send_signal(signal.SIGINT)
        found: List[Tuple[Job, Outcome]] = []
        killed: Set[int] = set()
        first = max(signals.count, 1)
        while self._running:
            found.extend(self._ended())
            if signals.count > first:
                for running in self._running:
                    if running.process.pid not in killed:
                        killed.add(running.process.pid)
                        running.process.kill()
            time.sleep(0.02)
        return found


def _memory_of(process: int, which: str) -> float:
    """MB; 0 where it is not known."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith(which + ":"):
                return int(line.split()[1]) / 1024.0
    return 0.0


def _memory_available() -> float:
    """MB of this machine; as much as one likes where it does not say."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) / 1024.0
    return float("inf")


def check(job: Job) -> float:
    """`scree check --quick`: raises StudyError with all that is wrong with the scene; gives the memory that a run
    will take, MB."""
    done = subprocess.run([program.path(), "check", str(job.scene), *job.sets, "--quick"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        lines = [line[len("error:"):].strip() if line.startswith("error:") else line for line in lines]
        lines = lines or [f"{job.scene}: `scree check` ended with {how_it_ended(done.returncode)}"]
        raise StudyError(lines, done.returncode if done.returncode > 0 else 1)
    match = re.search(r"memory\s+about ([\d.]+) (kB|MB|GB|TB)", done.stdout)
    return float(match[1]) * {"kB": 1e-3, "MB": 1.0, "GB": 1e3, "TB": 1e6}[match[2]] if match else 0.0

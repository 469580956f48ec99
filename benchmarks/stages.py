"""Seconds and peak memory of a report's stages.

    python benchmarks/stages.py [study.yaml | results.csv] [--output folder] [--jobs 2] [--first]
        [--sections inference,domain]

Takes a file of results, or a study whose execution is in the output folder; or generates results
(21 data sets, 6 candidates, 250 replications, 2 measures). Stages: reading, sections (with what
each takes), drawing, results.json, HTML, the words of the PDFs, article, supplement, tables and
figures. Each has the seconds of the clock, the processor seconds of this process and those of its
workers, and the peak memory of this process within it, where the system can reset that (Linux);
elsewhere it is the highest so far. Workers share the sections and the drawing, and begin with them
before their stage does; the PDFs are set by this process, one after the other. Packages are
imported before, which has a line of its own.
With --first the report of the first data set is made as well, and the ratio of the seconds is that
of all data sets over it.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

N_CANDIDATES, N_REPLICATIONS, N_DATASETS = 6, 250, 21


@dataclass(frozen=True)
class Usage:
    """What a stage took.

    Attributes
    ----------
    wall, own, others : float
        Seconds of the clock, of this process, and of workers that have ended in it.
    peak : float
        MB.
    """

    wall: float = 0.0
    own: float = 0.0
    others: float = 0.0
    peak: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.wall + other.wall,
            self.own + other.own,
            self.others + other.others,
            max(self.peak, other.peak),
        )


Stages = dict[str, Usage]


def reset_peak() -> None:
    """Let the peak begin at what is used now, where the system can."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return


def peak_megabytes() -> float:
    """Return the peak of resident memory since it was reset."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return int(status.split("VmHWM:")[1].split()[0]) / 1024
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def processor_seconds_of_others() -> float:
    """Return what the processes that this one has started took, living ones included."""
    try:
        return sum(_ticks(int(pid)) for pid in _descendants(os.getpid())) / os.sysconf("SC_CLK_TCK")
    except OSError:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime


def _descendants(pid: int) -> Iterator[str]:
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split():
        yield child
        yield from _descendants(int(child))


def _ticks(pid: int) -> int:
    """Return a process's clock ticks, with those of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return sum(map(int, fields[11:15]))


@contextmanager
def measured(stages: Stages, stage: str) -> Iterator[None]:
    """Add what happens inside to a stage."""
    reset_peak()
    begin, own, others = perf_counter(), process_time(), processor_seconds_of_others()
    yield
    workers = max(0.0, processor_seconds_of_others() - others)
    used = Usage(perf_counter() - begin, process_time() - own, workers, peak_megabytes())
    stages[stage] = stages.get(stage, Usage()) + used


def within(stages: Stages, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose calls are measured."""

    def call(*args: Any, **kwargs: Any) -> Any:
        with measured(stages, stage):
            return function(*args, **kwargs)

    return call


def report(study: Path, output: Path, jobs: int, sections: list[str] | None) -> Stages:
    """Make the report of a study or of a file of results, stage by stage."""
    stages: Stages = {}
    with measured(stages, "import"):
        import weasyprint  # noqa: F401

        from reportgen import pipeline, section_runner
        from reportgen.drawing import page as drawing_page  # noqa: F401
        from reportgen.drawing import renderer  # noqa: F401
        from reportgen.processes import collect_seldom
        from reportgen.rendering import exports, markdown, page, pdf, results_json  # noqa: F401

        collect_seldom()
    with measured(stages, "reading"):
        job = pipeline.open_job(study, output)
        warehouse, origin = (
            pipeline.measure(job) if job.study.results else pipeline.read_stored(job)
        )
    begin = section_runner.stage

    @contextmanager
    def stage(name: str, **options: Any) -> Iterator[None]:
        with measured(stages, name.replace("analysing", "section")), begin(name, **options):
            yield

    section_runner.stage = stage  # type: ignore[assignment]
    found = pipeline.analyse(job, warehouse, origin, sections=sections, jobs=jobs)
    results_json.render = within(stages, "results.json", results_json.render)
    page.render = within(stages, "HTML", page.render)
    exports.write_tables = within(stages, "tables", exports.write_tables)
    exports.write_figures = within(stages, "figures", exports.write_figures)
    pdf._manuscript = within(stages, "PDF: words", pdf._manuscript)
    pdf.compose = within(stages, "PDF: words", pdf.compose)
    _time_documents(stages, pdf)
    pipeline.render(job, found, ["json", "html", "pdf"])
    return stages


def _time_documents(stages: Stages, pdf: Any) -> None:
    """Let the setting of the article and of the supplement be measured."""
    titles = iter(("PDF: article", "PDF: supplement"))
    work = pdf.set_document

    def set_document(manuscript: Any) -> Any:
        with measured(stages, next(titles)):
            return work(manuscript)

    pdf.set_document = set_document


def generate(path: Path) -> None:
    """Write results with blocks, distinct candidates and a time."""
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(2011)
    shape = (N_DATASETS, N_REPLICATIONS, N_CANDIDATES)
    block = rng.normal(0, 0.01, (N_DATASETS, N_REPLICATIONS, 1))
    errors = 0.1 + 0.01 * np.arange(N_CANDIDATES) + block + rng.normal(0, 0.01, shape)
    seconds = rng.lognormal(np.arange(N_CANDIDATES) - 5, 0.2, shape)
    index = pd.MultiIndex.from_product(
        [
            [f"data{m}" for m in range(N_DATASETS)],
            range(1, N_REPLICATIONS + 1),
            [f"candidate{k}" for k in range(N_CANDIDATES)],
        ],
        names=["dataset", "replication", "candidate"],
    )
    values = {"misclassification": errors.clip(0, 1).ravel(), "fit-time": seconds.ravel()}
    wide = pd.DataFrame(values, index=index).rename_axis(columns="measure")
    wide.stack().rename("value").reset_index().to_csv(path, index=False)


def first_dataset(path: Path, folder: Path) -> Path:
    """Write the first data set's rows to a file of its own."""
    import pandas as pd

    frame = pd.read_csv(path)
    target = folder / f"first-{path.name}"
    frame[frame["dataset"] == frame["dataset"].iloc[0]].to_csv(target, index=False)
    return target


def in_own_process(study: Path, output: Path, jobs: int, sections: str) -> Stages:
    """Run `report` in a fresh interpreter."""
    command = [sys.executable, __file__, str(study), "--output", str(output)]
    done = subprocess.run(
        [*command, "--jobs", str(jobs), "--sections", sections, "--child"],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env={"SOURCE_DATE_EPOCH": "1761955200"} | os.environ,
    )
    found = json.loads(done.stdout.splitlines()[-1])
    return {name: Usage(**usage) for name, usage in found.items()}


def show(stages: Stages, first: Stages | None) -> None:
    """Print a line a stage; with the ratio to a first report's seconds."""
    print(f"{'':24}{'clock':>10}{'processor':>11}{'workers':>10}{'peak':>9}")
    total = sum((u for name, u in stages.items() if name != "import"), Usage())
    for name, u in (*stages.items(), ("report", total)):
        line = f"{name:24}{u.wall:8.2f} s{u.own:9.2f} s{u.others:8.2f} s{u.peak:6.0f} MB"
        if first and (one := first.get(name)) and one.own + one.others:
            line += f"{(u.own + u.others) / (one.own + one.others):9.2f}"
        print(line)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study", type=Path, nargs="?", help="manifest, or file of results")
    parser.add_argument("--output", type=Path, default=Path("output"), help="of a manifest's run")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--sections", default="", help="only these")
    parser.add_argument("--first", action="store_true", help="compare with the first data set")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        sections = given.sections.split(",") if given.sections else None
        stages = report(given.study, given.output, given.jobs, sections)
        print(json.dumps({name: asdict(usage) for name, usage in stages.items()}))
        return
    with TemporaryDirectory() as name:
        folder = Path(name)
        study, output = given.study, given.output
        if study is None:
            generate(study := folder / "results.csv")
        if study.suffix != ".yaml":
            output = folder / "output"
        first = None
        if given.first:
            one = first_dataset(study, folder)
            first = in_own_process(one, output, given.jobs, given.sections)
        show(in_own_process(study, output, given.jobs, given.sections), first)


if __name__ == "__main__":
    main()

"""Deeds good and bad, in a module that is quick to import."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Deeds:
    """Does what the task says."""

    def owner(self, task: object) -> str:
        return ""

    def prepare(self, owner: str) -> None:
        """Nothing to prepare."""

    def kind(self, task: str) -> str:
        return task.partition("/")[0]

    def warm_up(self, task: str) -> None:
        if self.kind(task) == "cold":
            os._exit(4)
        if self.kind(task) == "slow":
            time.sleep(1.5)

    def __call__(self, task: str) -> str:
        if task == "exit":
            os._exit(3)
        if task == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if task == "hang":
            time.sleep(600)
        if task == "raise":
            raise LookupError("lost")
        if task == "threads":
            return os.environ["OMP_NUM_THREADS"]
        if task.startswith("take/"):
            return str(len(bytearray(int(task.partition("/")[2]))))
        if task == "folder":
            return tempfile.gettempdir()
        if task == "worker":  # the cluster's, whose child this is
            time.sleep(0.2)
            return str(os.getppid())
        return task

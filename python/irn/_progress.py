"""How far a training is. Whoever has tqdm hands it over (`progress=tqdm.auto.tqdm`); `progress=True` draws the same line without it."""

from __future__ import annotations

import sys
import time
from typing import Any, Optional, TextIO, Union

Progress = Union[bool, Any]


class Bar:
    """One line on standard error, as tqdm draws it: share, bar, count, time gone and left, what was reached."""

    def __init__(self, total: int, desc: str = "", file: Optional[TextIO] = None, width: int = 20) -> None:
        self.total, self.desc, self.width = total, desc, width
        self.file = file or sys.stderr
        self.count, self.postfix = 0, ""
        self.begin, self.drawn = time.monotonic(), 0.0
        self._longest = 0

    def update(self, n: int = 1) -> None:
        self.count += n
        now = time.monotonic()
        if now - self.drawn >= 0.1:
            self.drawn = now
            self._draw()

    def set_postfix(self, **values: str) -> None:
        self.postfix = "".join(f", {key}={value}" for key, value in values.items())

    def close(self) -> None:
        self._draw()
        self.file.write("\n")
        self.file.flush()

    def _draw(self) -> None:
        share = self.count / self.total if self.total else 1.0
        gone = time.monotonic() - self.begin
        left = gone / share - gone if share > 0 else 0.0
        bar = "#" * round(share * self.width)
        line = f"{self.desc}: {share:4.0%}|{bar:<{self.width}}| {self.count}/{self.total} [{_clock(gone)}<{_clock(left)}{self.postfix}]"
        self._longest = max(self._longest, len(line))
        self.file.write("\r" + line.ljust(self._longest))
        self.file.flush()


def bar_for(progress: Progress, total: int) -> Optional[Any]:
    """None for False; ours for True; else what a class like tqdm's makes."""
    if progress is None or progress is False:
        return None
    if progress is True:
        return Bar(total, "training")
    return progress(total=total, desc="training")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes:02d}:{rest:02d}"

"""The table of figures: what was measured, its goal, the bound it must never break, a verdict."""

import dataclasses
import datetime
import os
import platform
import statistics


@dataclasses.dataclass
class Figure:
    name: str
    against: str
    value: float | None
    goal: float | None = None
    bound: float | None = None
    at_least: bool = False      # a larger value is better
    unit: str = "×"
    note: str = ""

    def text(self, value):
        if value is None:
            return "–"
        if self.unit == "×":
            return f"{value:.2f} ×"
        if self.unit == "%":
            return f"{value * 100:.1f} %"
        if self.unit == "MB":
            return f"{value / 1e6:.2f} MB"
        return f"{value:,.0f} {self.unit}".rstrip()

    def meets(self, limit):
        return self.value >= limit if self.at_least else self.value <= limit

    @property
    def broken(self):
        return self.value is not None and self.bound is not None and not self.meets(self.bound)

    @property
    def verdict(self):
        if self.value is None:
            return "skipped"
        if self.broken:
            return "BROKEN"
        if self.goal is None:
            return ""
        return "goal" if self.meets(self.goal) else "missed"

    def columns(self):
        return (self.name, self.against, self.text(self.value), self.text(self.goal),
                self.text(self.bound), self.verdict, self.note)


HEADINGS = ("figure", "against", "measured", "goal", "never below", "verdict", "")


def table(figures):
    return aligned([HEADINGS, *(figure.columns() for figure in figures)])


def aligned(rows):
    """A table for people; the first row has the headings, the last column may be long."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows)]
    widths[-1] = len(rows[0][-1])
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
             for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths).rstrip())
    return "\n".join(lines)


def markdown_table(rows):
    """The same in Markdown."""
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return "\n".join(lines)


def markdown(figures, command):
    """Rows of docs/MEASUREMENTS.md."""
    date = datetime.date.today().isoformat()
    lines = []
    for figure in figures:
        name, against, value, goal, bound, verdict, note = figure.columns()
        what = f"{name}, against {against}" if against else name
        value = f"{value} ({note})" if note else value
        lines.append(f"| {what} | {value} | {goal} | {bound} | {verdict} | {date} | {machine()} "
                     f"| `{command}` |")
    return "\n".join(lines)


def machine():
    """Processor, count, kernel."""
    model = platform.machine()
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    release = platform.release().split("-")[0]
    return f"{model}, {os.cpu_count()} processors, Linux {release}"


def median_ratio(pairs):
    return statistics.median(ours / theirs for ours, theirs in pairs)

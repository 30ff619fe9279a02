"""The figures of docs/performance.md, measured on this machine, each beside its floor.

Servers and bots run as processes of their own; what is measured first is the server's CPU time per
decision, and what counts is the ratio to a floor in the same interleaved run. What is not here: the
command line (`cli`).
"""

from kiery.bench.catalog import Report, figure_names, run_bench
from kiery.bench.figure import Figure, Goal, Of, Point
from kiery.bench.machine import machine
from kiery.bench.plot import check_plotting, plot_curves
from kiery.bench.process import check_loop
from kiery.bench.report import COLUMNS, curve_row, figure_row, figure_values, report_values
from kiery.bench.rig import Settings
from kiery.bench.worker import WorkerError

__all__ = [
    "COLUMNS",
    "Figure",
    "Goal",
    "Of",
    "Point",
    "Report",
    "Settings",
    "WorkerError",
    "check_loop",
    "check_plotting",
    "curve_row",
    "figure_names",
    "figure_row",
    "figure_values",
    "machine",
    "plot_curves",
    "report_values",
    "run_bench",
]

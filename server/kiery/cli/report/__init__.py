"""The report: one HTML file with tables and pictures that needs no network, no script and no other file."""

from kiery.cli.report.page import write_report

__all__ = ["write_report"]

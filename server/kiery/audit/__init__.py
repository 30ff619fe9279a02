"""The published data of a tournament, and its audit from that data alone.

Whoever has the file needs nothing else: no store, no server, nobody's word. The form is described in
docs/fairness.md. What is not here: reading and writing files (`cli`), and what is stored (`store`).
"""

from kiery.audit.checks import Audit, AuditedTournament, Check
from kiery.audit.course import Course
from kiery.audit.form import FORM, FormError, line_of
from kiery.audit.publication import PublishedAttempt, announce, publish
from kiery.audit.rows import deal_row

__all__ = [
    "FORM",
    "Audit",
    "AuditedTournament",
    "Check",
    "Course",
    "FormError",
    "PublishedAttempt",
    "announce",
    "deal_row",
    "line_of",
    "publish",
]

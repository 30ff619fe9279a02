"""A table: where one match is played. Seats, decisions, clocks, faults, and the substitute.

No I/O and no clock: every method that needs the time takes it as `now`, nanoseconds on the server's
monotonic clock. What has to be sent is read with `take`; who has to be sent something stands in `due`.
"""

from kiery.table.course import TableState
from kiery.table.owed import Turn, take_turn
from kiery.table.place import Place
from kiery.table.table import Table

__all__ = ["Place", "Table", "TableState", "Turn", "take_turn"]

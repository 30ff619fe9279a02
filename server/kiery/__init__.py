"""kiery: a gRPC tournament server for bots that play Hearts (Polish: Kiery) and its family.

The package is divided into rooms; `docs/contributing.md` has the table of what each room knows and
which rooms it may import. Nothing is imported here, so that an SDK pays only for what it uses.
"""

__version__ = "0.1.0"

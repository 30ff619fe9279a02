"""Run by Alembic for each migration; the connection comes from `kiery.store.open`."""

from alembic import context

from kiery.store.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    # SQLite changes a table by copying it.
    render_as_batch=True,
    # The caller's transaction holds all migrations together.
    transactional_ddl=True,
)
context.run_migrations()

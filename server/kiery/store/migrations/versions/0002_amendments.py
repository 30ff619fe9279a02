"""Amendments: late entries and withdrawals."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the table of amendments."""
    op.create_table(
        "amendment",
        sa.Column("tournament_id", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("amendment", sa.Text, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("tournament_id", "number", name="pk_amendment"),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name="fk_amendment_tournament_id"),
    )


def downgrade() -> None:
    """Takes the table of amendments away."""
    op.drop_table("amendment")

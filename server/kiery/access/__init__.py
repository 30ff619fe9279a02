"""Who may do what: tokens, roles, and the table of roles and methods.

A client is who its token says; names are labels. What is not here: how a token travels (`transport`).
"""

from kiery.access.book import AccessError, Identity, NewToken, TokenBook, TokenNameError, UnknownTokenError
from kiery.access.methods import may_call
from kiery.access.roles import Role

__all__ = [
    "AccessError",
    "Identity",
    "NewToken",
    "Role",
    "TokenBook",
    "TokenNameError",
    "UnknownTokenError",
    "may_call",
]

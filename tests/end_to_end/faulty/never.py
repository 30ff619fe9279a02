"""Is there, reads, and never gets ready."""

import raw

raw.converse(lambda _: [])

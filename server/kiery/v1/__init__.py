"""The messages and services of the protocol, generated from ``proto/kiery/v1``; never edited by hand."""

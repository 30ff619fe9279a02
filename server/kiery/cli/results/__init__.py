"""What a tournament came to, for files: gathered from the records in one pass, written in several forms.

Everything here is derived from the store and can be derived again. What is not here: the page with
pictures (`report`).
"""

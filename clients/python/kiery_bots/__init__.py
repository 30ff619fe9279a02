"""Example bots: random, low and cautious as processes that dial in, and a person at the terminal.

`python -m kiery_bots cautious` plays; each is short enough to copy.
"""

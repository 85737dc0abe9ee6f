"""Levels 2 and 3: a script from free text, written by a model or put together from words, and kept by a person.

Nothing here runs when a recipe runs: a draft is text that the compiler has checked, and it reacts to nothing until
somebody who may has approved it. (docs/drafting.md)
"""

from __future__ import annotations

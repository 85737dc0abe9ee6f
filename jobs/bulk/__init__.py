"""Operations on more jobs than a request may be held for: asked for by a person, done by the workers a piece at a time."""

from __future__ import annotations

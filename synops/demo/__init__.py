"""The recording that ships with the project, and the nodes around it: a first run on real input for every newcomer."""

from __future__ import annotations

"""SQL of the case pipeline's tables, for its programs: replica, manifest, facts and verdicts. No Django."""

from __future__ import annotations

"""The synops-* programs, one module each, and the contract that they share (docs/tool-contract.md).

They import the ground floor (`synops.store`, `synops.database`) and no app: a tool runs without Django.
"""

from __future__ import annotations

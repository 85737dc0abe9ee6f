"""Rule sets over the facts of a case: CEL expressions and questions to a model, each with a verdict and its evidence."""

from __future__ import annotations

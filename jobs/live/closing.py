"""Why a socket was closed, as the browser is told: 44xx = do not come back by yourself, 4503 = come back soon.

Codes below 3000 can't be sent through daphne: it turns 1001 and 1012 into 1011.
"""

from __future__ import annotations

BAD_MESSAGE = 4400
SIGNED_OUT = 4401
FORBIDDEN = 4403
TOO_SLOW = 4408
TOO_MUCH = 4429
GOING_DOWN = 4503


class Refused(Exception):
    """The socket has to be closed with `code`."""

    def __init__(self, code: int) -> None:
        super().__init__(f"close {code}")
        self.code = code

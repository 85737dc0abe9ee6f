"""How many jobs end a second, by the database's own account, and how soon that is as before a fault."""

from __future__ import annotations

import time

import psycopg

from tests.faults.house import House

BEFORE_SECONDS = 20
WINDOW_SECONDS = 10
ENOUGH = 0.95
MOST_SECONDS = 60.0
CALM_SECONDS = 120.0


class Pulse:
    """Reads `fault_ends`. Failed attempts that are tried again are no ends."""

    def __init__(self, house: House) -> None:
        self._house = house

    def rate(self, seconds: float) -> float:
        """Jobs that ended in the last seconds, per second; 0 while nobody can be asked."""
        statement = "SELECT count(*) FROM fault_ends WHERE at > clock_timestamp() - make_interval(secs => %s)"
        return float(self._ask(statement, seconds) or 0) / seconds

    def backlog(self) -> int:
        """Jobs that are due and wait."""
        statement = (
            "SELECT count(*) FROM job_queue WHERE status IN ('pending', 'retry') "
            "AND scheduled_for < now() - make_interval(secs => %s)"
        )
        answer = self._ask(statement, 1.0)
        return 10**6 if answer is None else answer

    def calm(self, per_second: float) -> float:
        """Wait until the load is carried and what had piled up is gone; the rate then, at most that of the load."""
        end = time.monotonic() + CALM_SECONDS
        while time.monotonic() < end:
            time.sleep(1)
            if self.backlog() < per_second and 0.9 < self.rate(BEFORE_SECONDS) / per_second < 1.1:
                break
        return min(self.rate(BEFORE_SECONDS), per_second)

    def recovered(self, before: float) -> float | None:
        """Seconds from now until a window has ended in which 95 % of the rate before was reached; None = not in time."""
        started = time.monotonic()
        while (passed := time.monotonic() - started) < MOST_SECONDS + WINDOW_SECONDS:
            time.sleep(0.5)
            window = min(WINDOW_SECONDS, max(passed, 1.0))
            if passed >= WINDOW_SECONDS and self.rate(window) >= ENOUGH * before:
                return passed - WINDOW_SECONDS  # the window began then
        return None

    def _ask(self, statement: str, seconds: float) -> int | None:
        try:
            with self._house.connect() as connection:
                row = connection.execute(statement.encode(), [seconds]).fetchone()
        except psycopg.Error:
            return None
        return int(row[0]) if row else 0

#!/usr/bin/env python
# ruff: noqa: I002, RUF005, UP031, UP036
"""Runs a management command. Its syntax is old on purpose: an old Python must get as far as the sentence below."""

import sys

if sys.version_info < (3, 11):
    sys.stderr.write(
        "Synops needs Python 3.11 or newer; %s is %d.%d. Run `make install`, then .venv/bin/python manage.py.\n"
        % ((sys.executable,) + tuple(sys.version_info[:2]))
    )
    sys.exit(1)

from synops.command_line import main

if __name__ == "__main__":
    main(sys.argv)

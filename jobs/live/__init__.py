"""The live view: changes are announced after commit, heard once per web process, and sent to those who may see them.

announcer.py speaks (worker, web and commands alike), hub.py listens, topics.py reads the rows, socket.py serves one
browser.
"""

from __future__ import annotations

"""The ground floor: stored files, and the SQL of nodes, edges and collections. Plain Python and psycopg, no Django."""

from __future__ import annotations

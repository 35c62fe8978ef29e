"""Projections: what is read, rebuilt from the log at any time. One transaction carries the rows and the position.

Each projection is a module with its tables (`DDL`) and `project(cursor, recorded, context)`, which only writes. All
tables stand in one schema, so that a rebuild is made in a schema beside it and compared, or put in its place.
"""

from services.projections.progress import Stalled
from services.projections.projector import CHANNEL, SCHEMA, Projector

__all__ = ["CHANNEL", "SCHEMA", "Projector", "Stalled"]

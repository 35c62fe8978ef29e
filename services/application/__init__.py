"""Application services: load, decide, append. Each is one command of somebody, or one job of the agenda."""

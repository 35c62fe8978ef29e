"""The clock: RQ jobs, the agenda's clock, the projector, the supervisor, and the `big2` command."""

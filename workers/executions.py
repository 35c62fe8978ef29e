"""What RQ notes of each time that a job was begun, so that the job of a killed worker can be put away too."""

from __future__ import annotations

from rq.executions import Execution, ExecutionRegistry
from rq.job import Job


class Executions(ExecutionRegistry):
    """The executions of a job by their names.

    Redis drops an execution some 70 seconds after its worker has died, and its name a minute later. In that minute RQ
    gives the job to another worker, and stumbles over the name of what is gone when that one has done it: so the job
    counted as failed, and was done once more.
    """

    def get_executions(self, start: int = 0, end: int = -1) -> list[Execution]:
        """Those that there are; of the others the name alone is left."""
        found = []
        for execution_id in self.get_execution_ids(start, end):
            execution = Execution(execution_id, self.job_id, self.connection)
            if told := self.connection.hgetall(execution.key):
                execution.restore(told)
                found.append(execution)
        return found


class QueuedJob(Job):
    """A job of ours."""

    @property
    def execution_registry(self) -> Executions:
        """Its executions."""
        return Executions(self.id, connection=self.connection)

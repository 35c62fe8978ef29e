"""Where the jobs wait: the queue's name, and how Redis is asked. Redis holds nothing that cannot be made again."""

from __future__ import annotations

from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

QUEUE = "jobs"
SOCKET_TIMEOUT_SECONDS = 0.5


def redis_client(url: str) -> Redis:
    """A client that fails quickly: whoever asks tries again later, and no request waits for Redis."""
    return Redis.from_url(
        url,
        socket_timeout=SOCKET_TIMEOUT_SECONDS,
        socket_connect_timeout=SOCKET_TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )

-- Changes of connections are forgotten after a while, the oldest first: found without reading them all.
CREATE INDEX connection_changes_at ON connection_changes (at);

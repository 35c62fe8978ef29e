"""The outside: event store, application services, projections, audit, HTTP API, web pages."""

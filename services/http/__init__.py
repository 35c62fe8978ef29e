"""The HTTP API: requests taken strictly, answers rendered once, every error a problem document."""

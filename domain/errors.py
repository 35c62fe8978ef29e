"""Why a decision says no.

    big2.errors.Refusal        a rule of the game forbids it: 422, names its clause
    Rejected
    ├── Refused                the request can never be right as it stands: 422
    ├── Conflicting            the world is not, or no longer, in a state for it: 409
    └── NotAllowed             this actor may not do it: 403

`code` is the problem type of the HTTP API (`/problems/<code>`).
"""

from __future__ import annotations


class Rejected(Exception):  # noqa: N818 - "rejected" is what happened to the command
    """A decision that recorded nothing: `code` is stable and documented, `detail` one sentence that says what to do."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


class Refused(Rejected):
    """422: well-formed, but against the terms; `errors` maps a JSON pointer to what is wrong there.

    `members` are more of the problem for programs, such as the amount that is missing.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        errors: dict[str, str] | None = None,
        members: dict[str, object] | None = None,
    ) -> None:
        super().__init__(code, detail)
        self.errors = errors or {}
        self.members = members or {}


class Conflicting(Rejected):
    """409: the aggregate's state does not allow it now."""


class NotAllowed(Rejected):
    """403: the state may allow it, but not to this actor."""

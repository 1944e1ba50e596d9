"""Errors that the clients raise for a request."""

from __future__ import annotations

import json
from typing import Any, Dict, Mapping, Optional, Type


class ServiceError(Exception):
    """A request failed. ``code`` is stable; ``status`` is 0 if there was no reply."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int = 0,
        details: Any = None,
        request_id: Optional[str] = None,
        body: Optional[Dict[str, Any]] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.details = details
        self.request_id = request_id
        self.body = body or {}


class InvalidRequestError(ServiceError):
    """The service refuses the fields of a request (400, 413, 415, 422)."""


class AuthenticationError(ServiceError):
    """The key is missing, wrong, expired or revoked (401)."""


class PermissionDeniedError(ServiceError):
    """The key may not do this (403)."""


class NotFoundError(ServiceError):
    """The memory, session or document does not exist, or the caller may not see it (404, 410)."""


class ConflictError(ServiceError):
    """The row is in another state than the request expects (409)."""


class RateLimitError(ServiceError):
    """Too many requests, also after retries (429)."""


class UnavailableError(ServiceError):
    """The service cannot answer now (5xx)."""


class ServiceConnectionError(ServiceError):
    """No daemon was found, or the connection failed or took too long."""


_CLASSES: Dict[int, Type[ServiceError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    410: NotFoundError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    422: InvalidRequestError,
    429: RateLimitError,
}


def error_of(status: int, text: str, headers: Mapping[str, str]) -> ServiceError:
    """Read the error out of a reply that is not a success."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    body: Dict[str, Any] = value if isinstance(value, dict) else {}
    kind = _CLASSES.get(status, UnavailableError if status >= 500 else ServiceError)
    return kind(
        str(body.get("error", f"the reply has status {status}")),
        code=str(body.get("code", body.get("status", "unknown"))),
        status=status,
        details=body.get("details"),
        request_id=headers.get("x-request-id"),
        body=body,
    )

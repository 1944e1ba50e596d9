"""Requests and retries, as far as they are the same for both clients."""

from __future__ import annotations

import json
import random
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union
from urllib.parse import quote

import httpx

from ._api import Operation, RecallReplyResult
from ._errors import ServiceConnectionError, ServiceError

# Codes with which the service refuses a request before it processes it, and which pass.
_PASSING = {"starting", "overloaded", "rate_limited"}
_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 10.0
PAGE_SIZE = 100

Query = List[Tuple[str, Union[str, int, float, bool, None]]]


class PromptContext(NamedTuple):
    """What a model should read before it answers a prompt; ``text`` is empty if nothing answers it."""

    text: str
    memories: List[RecallReplyResult]


class Request(NamedTuple):
    """One request: its address, what it sends, and if the service may process it twice."""

    method: str
    path: str
    query: Query
    body: Optional[Any]
    repeats: bool


def request_of(
    operation: Operation, fields: Mapping[str, Any], params: Optional[Mapping[str, str]] = None
) -> Request:
    """Spell the arguments of a method as the API does.

    :raises TypeError: for an argument that the operation does not have.
    """
    body: Dict[str, Any] = {}
    query: Dict[str, Any] = {}
    for name, value in fields.items():
        if name in operation.query:
            query[operation.query[name]] = value
        elif name in operation.body:
            body[operation.body[name]] = value
        else:
            raise TypeError(f"unexpected argument {name!r}")
    return Request(
        operation.method,
        path_of(operation.path, params or {}),
        query_of(query),
        body if operation.body else None,
        operation.repeats,
    )


def path_of(path: str, params: Mapping[str, str]) -> str:
    """Fill the parts of an address, encoded."""
    for name, value in params.items():
        path = path.replace(f"{{{name}}}", quote(value, safe=""))
    return path


def query_of(query: Mapping[str, Any]) -> Query:
    """List the values of a query; lists repeat their name, and None is left out."""
    pairs: Query = []
    for name, value in query.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not None:
                pairs.append((name, str(one).lower() if isinstance(one, bool) else one))
    return pairs


def may_repeat(error: ServiceError, request: Request) -> bool:
    """Return True if a further attempt may succeed and cannot do harm."""
    if error.code in _PASSING:
        return True
    if isinstance(error, ServiceConnectionError) and isinstance(error.__cause__, httpx.ConnectError):
        return True
    is_lost = isinstance(error, ServiceConnectionError) or error.status in (502, 504)
    return is_lost and error.code != "not_running" and request.repeats


def connection_error(cause: httpx.TransportError, url: str) -> ServiceConnectionError:
    """Name a failure of the connection."""
    code = "timeout" if isinstance(cause, httpx.TimeoutException) else "connection_failed"
    error = ServiceConnectionError(f"cannot reach {url}: {cause or type(cause).__name__}", code=code)
    error.__cause__ = cause
    return error


def pause_before(attempt: int, error: ServiceError, retry_after: Optional[str]) -> float:
    """Seconds to wait: what the service asks for, else twice as long each time, with a random part."""
    try:
        return min(max(float(retry_after or ""), 0.0), _LONGEST_PAUSE)
    except ValueError:
        return min(_FIRST_PAUSE * float(2**attempt), _LONGEST_PAUSE) * (0.5 + random.random() / 2)


def event_of(line: str) -> Optional[Any]:
    """The data of a server-sent event, which the service writes on one line; None for other lines."""
    return json.loads(line[5:]) if line.startswith("data:") else None

"""Remember and recall from Python.

``Memory()`` finds the daemon of this machine and starts it if needed; ``Memory(url, key=...)`` uses another
service. ``AsyncMemory`` has the same methods for asyncio.
"""

from ._async_client import AsyncMemory
from ._client import Memory
from ._errors import (
    AuthenticationError,
    ConflictError,
    InvalidRequestError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ServiceConnectionError,
    ServiceError,
    UnavailableError,
)
from ._requests import PromptContext

__all__ = [
    "AsyncMemory",
    "AuthenticationError",
    "ConflictError",
    "InvalidRequestError",
    "Memory",
    "NotFoundError",
    "PermissionDeniedError",
    "PromptContext",
    "RateLimitError",
    "ServiceConnectionError",
    "ServiceError",
    "UnavailableError",
]

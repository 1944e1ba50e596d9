"""Finds the daemon of this machine."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, NamedTuple, Optional

import httpx

from ._errors import ServiceConnectionError

# A busy machine needs seconds; a wrong program answers at once or never.
_PROOF_SECONDS = 10.0


class Place(NamedTuple):
    """Where the service is, and headers that prove who asks."""

    url: str
    headers: Dict[str, str]


def find_daemon(workspace: Optional[str] = None) -> Place:
    """Find the daemon of a workspace by the file in which it registers, and start it if none runs.

    ``SERVICE_DAEMON_URL`` names another one, and ``SERVICE_NO_AUTOSTART=1`` starts none.

    :raises ServiceConnectionError: ``not_running``, with the next step.
    """
    key = os.environ.get("SERVICE_API_KEY")
    own = {"authorization": f"Bearer {key}"} if key else {}
    url = os.environ.get("SERVICE_DAEMON_URL")
    if url:
        return Place(url, own)
    root = Path(workspace or os.environ.get("SERVICE_WORKSPACE") or Path.home() / ".memory-service")
    place = _registered(root, own)
    if place is None and os.environ.get("SERVICE_NO_AUTOSTART") != "1":
        _start(root)
        place = _registered(root, own)
    if place is None:
        raise ServiceConnectionError(
            f"no daemon runs for {root}; start it with: memory daemon start", code="not_running"
        )
    return place


def _registered(root: Path, own: Dict[str, str]) -> Optional[Place]:
    try:
        registration: Any = json.loads((root / ".daemon" / "daemon.json").read_text("utf-8"))
        host, port, instance = registration["host"], registration["port"], registration["instance"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if registration.get("closing"):
        return None
    reachable = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, host)
    url = f"http://{reachable}:{port}"
    if not _is_proven(url, instance, port):
        return None
    return Place(url, {**own, "x-service-instance": instance})


def _is_proven(url: str, instance: str, port: int) -> bool:
    """The port may belong to another program by now; only the daemon can answer this question."""
    challenge = secrets.token_hex(16)
    expected = hmac.new(instance.encode(), f"{challenge} {port}".encode(), hashlib.sha256).hexdigest()
    try:
        # A proxy of the environment cannot reach this machine.
        with httpx.Client(trust_env=False, timeout=_PROOF_SECONDS) as client:
            reply = client.get(f"{url}/health", headers={"x-service-challenge": challenge})
    except httpx.HTTPError:
        return False
    return hmac.compare_digest(reply.headers.get("x-service-proof", ""), expected)


def _start(root: Path) -> None:
    """Run `memory daemon start`. The command is a fixed text, so Windows may run `memory.cmd` by its shell."""
    try:
        subprocess.run(
            "memory daemon start" if sys.platform == "win32" else ["memory", "daemon", "start"],
            shell=sys.platform == "win32",
            env={**os.environ, "SERVICE_WORKSPACE": str(root)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except OSError:
        pass

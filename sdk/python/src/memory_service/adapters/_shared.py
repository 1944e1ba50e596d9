"""Parts that the adapters share."""

from __future__ import annotations

import logging
from typing import Any, Callable, Dict, List, NamedTuple, Optional

from .. import Memory

_log = logging.getLogger("memory_service")


class MemoryTool(NamedTuple):
    """A tool as any framework can describe it to a model."""

    name: str
    description: str
    parameters: Dict[str, Any]
    run: Callable[[Any], str]


def warn(error: Exception) -> None:
    """Log a failure of the service, after which the agent goes on without memory."""
    _log.warning("memory-service: %s", error)


def context_for(memory: Memory, prompt: str, **options: Any) -> str:
    """Return what a model should read for a prompt, or nothing: a model answers without memory as well."""
    if not prompt.strip():
        return ""
    try:
        return memory.context(prompt, **options).text
    except Exception as error:
        warn(error)
        return ""


def tools_of(memory: Memory, project: Optional[str] = None, limit: int = 5) -> List[MemoryTool]:
    """Return the tools that save and find memories. A failure is told to the model."""

    def remember(content: str) -> str:
        return f"Saved as {memory.remember(content, project=project)['id']}."

    def recall(query: str) -> str:
        return memory.context(query, project=project, limit=limit).text or "Nothing is known about it."

    return [
        _tool(
            "remember",
            "Save a lasting fact, decision, preference or rule as one self-contained sentence.",
            "content",
            "The sentence to save",
            remember,
        ),
        _tool(
            "recall",
            "Find what was saved in earlier sessions, by you or by other agents.",
            "query",
            "A question or a few words",
            recall,
        ),
    ]


def _tool(name: str, description: str, field: str, meaning: str, run: Callable[[str], str]) -> MemoryTool:
    parameters = {
        "type": "object",
        "properties": {field: {"type": "string", "description": meaning}},
        "required": [field],
        "additionalProperties": False,
    }

    def run_safely(given: Any) -> str:
        value = given.get(field) if isinstance(given, dict) else None
        if not isinstance(value, str):
            return f"The argument {field} is missing."
        try:
            return run(value)
        except Exception as error:
            return f"The memory failed: {error}"

    return MemoryTool(name, description, parameters, run_safely)

"""Tools, context and a session of the OpenAI Agents SDK."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Callable, Dict, List, Optional, cast

from agents import FunctionTool, Tool, TResponseInputItem
from agents.memory import SessionSettings
from agents.run import CallModelData, CallModelInputFilter, ModelInputData

from .. import Memory, NotFoundError
from ._shared import MemoryTool, context_for, tools_of, warn

_PAGE_SIZE = 200


def memory_tools(memory: Memory, *, project: Optional[str] = None, limit: int = 5) -> List[Tool]:
    """Return the tools ``remember`` and ``recall`` for an agent."""
    return [_function_tool(each) for each in tools_of(memory, project, limit)]


def _function_tool(each: MemoryTool) -> FunctionTool:
    async def invoke(context: Any, arguments: str) -> str:
        return await asyncio.to_thread(each.run, json.loads(arguments or "{}"))

    return FunctionTool(each.name, each.description, each.parameters, invoke)


def memory_filter(memory: Memory, **options: Any) -> CallModelInputFilter:
    """Return a ``call_model_input_filter`` that adds the memories for the last prompt to the instructions."""

    async def add(data: CallModelData[Any]) -> ModelInputData:
        prompts = [each["content"] for each in map(_words_of, data.model_data.input) if each and each["role"] == "user"]
        if not prompts:
            return data.model_data
        text = await asyncio.to_thread(context_for, memory, prompts[-1], **options)
        instructions = "\n\n".join(filter(None, [data.model_data.instructions, text]))
        return ModelInputData(input=data.model_data.input, instructions=instructions or None)

    return add


class KeptSession:
    """A session whose words the service keeps, so that all agents can search them.

    Another process that opens it gets what user and assistant said; calls of tools live as long as the object.
    """

    session_settings: Optional[SessionSettings] = None

    def __init__(self, memory: Memory, session_id: str, *, on_error: Callable[[Exception], None] = warn) -> None:
        self.session_id = session_id
        self._memory = memory
        self._on_error = on_error
        self._items: Optional[List[TResponseInputItem]] = None

    async def get_items(self, limit: Optional[int] = None) -> List[TResponseInputItem]:
        """Return the last items, oldest first."""
        items = await self._load()
        return list(items) if limit is None else items[max(0, len(items) - limit) :]

    async def add_items(self, items: List[TResponseInputItem]) -> None:
        """Append items and keep their words."""
        known = await self._load()
        known.extend(items)
        await self._keep(known)

    async def pop_item(self) -> Optional[TResponseInputItem]:
        """Remove and return the last item."""
        items = await self._load()
        last = items.pop() if items else None
        await self._keep(items)
        return last

    async def clear_session(self) -> None:
        """Begin anew in this object; the service keeps what was said."""
        self._items = []

    async def _load(self) -> List[TResponseInputItem]:
        if self._items is None:
            self._items = await asyncio.to_thread(self._said_before)
        return self._items

    def _said_before(self) -> List[TResponseInputItem]:
        items: List[TResponseInputItem] = []
        start, total = 0, 1
        try:
            while start < total:
                part: Any = {"from": start, "limit": _PAGE_SIZE}
                page = self._memory.sessions.turns(self.session_id, **part)
                total = page["total"]
                items.extend(
                    cast(TResponseInputItem, {"role": turn["role"], "content": turn["text"]})
                    for turn in page["turns"]
                    if turn["role"] in ("user", "assistant") and turn["text"]
                )
                start += _PAGE_SIZE
        except NotFoundError:
            pass
        except Exception as error:
            self._on_error(error)
        return items

    async def _keep(self, items: List[TResponseInputItem]) -> None:
        transcript = [words for words in map(_words_of, items) if words]
        try:
            # An end is captured however short the session is, and a later one replaces it.
            await asyncio.to_thread(
                self._memory.sessions.end, self.session_id, harness="openai-agents", transcript=cast(Any, transcript)
            )
        except Exception as error:
            self._on_error(error)


def _words_of(item: Any) -> Optional[Dict[str, str]]:
    role, content = item.get("role"), item.get("content")
    if not role:
        return None
    parts = [content] if isinstance(content, str) else [part.get("text") or "" for part in content or []]
    return {"role": role, "content": "\n".join(parts).strip()}

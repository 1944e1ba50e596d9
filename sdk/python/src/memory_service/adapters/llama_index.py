"""A memory block and a retriever of LlamaIndex."""

from __future__ import annotations

import asyncio
from typing import Any, Dict, List, Optional

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.memory.memory import BaseMemoryBlock
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from .. import Memory
from ._shared import context_for, warn

_FIELDS = ("type", "tags", "project", "created_at")


class SharedMemoryBlock(BaseMemoryBlock[str]):
    """Adds the memories for the last prompt. With a ``session_key`` it keeps what leaves the short-term memory."""

    name: str = "SharedMemory"
    description: Optional[str] = "What is known from earlier sessions and other agents"
    memory: Memory = Field(exclude=True)
    recall: Dict[str, Any] = Field(default_factory=dict, description="Options of Memory.recall")
    session_key: Optional[str] = None
    _said: List[Any] = PrivateAttr(default_factory=list)

    async def _aget(self, messages: Optional[List[ChatMessage]] = None, **block_kwargs: Any) -> str:
        prompts = [each.content or "" for each in messages or [] if each.role == MessageRole.USER]
        if not prompts:
            return ""
        return await asyncio.to_thread(context_for, self.memory, prompts[-1], **self.recall)

    async def _aput(self, messages: List[ChatMessage]) -> None:
        if self.session_key is None:
            return
        self._said.extend({"role": each.role.value, "content": each.content or ""} for each in messages)
        try:
            await asyncio.to_thread(
                self.memory.sessions.end, self.session_key, harness="llama-index", transcript=list(self._said)
            )
        except Exception as error:
            warn(error)


class MemoryRetriever(BaseRetriever):
    """Finds memories, best first; ``recall`` are options of ``Memory.recall``."""

    def __init__(self, memory: Memory, *, recall: Optional[Dict[str, Any]] = None, **fields: Any) -> None:
        super().__init__(**fields)
        self._memory = memory
        self._recall = recall or {}

    def _retrieve(self, query_bundle: QueryBundle) -> List[NodeWithScore]:
        rows: List[Any] = list(self._memory.recall(query_bundle.query_str, **self._recall)["results"])
        return [
            NodeWithScore(
                node=TextNode(
                    id_=row["id"],
                    text=row["content"],
                    metadata={name: row[name] for name in _FIELDS if row[name] is not None},
                ),
                score=row["score"],
            )
            for row in rows
        ]

    async def _aretrieve(self, query_bundle: QueryBundle) -> List[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)

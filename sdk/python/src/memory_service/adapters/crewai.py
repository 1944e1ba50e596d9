"""The memory of agents and crews of CrewAI."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, List, Literal, Optional

from crewai.memory.types import MemoryMatch, MemoryRecord
from crewai.memory.unified_memory import Memory as CrewMemory
from pydantic import Field

from .. import Memory


class SharedMemory(CrewMemory):
    """Keeps what a crew remembers in memory-service: ``Agent(memory=SharedMemory(client=Memory()))``.

    It needs no vectors and no database of CrewAI. Statements are drawn from the results of tasks only by an ``llm``
    that you name; without one a crew saves by its tool. A ``scope`` is kept as a tag, as categories are.
    """

    client: Memory = Field(exclude=True)
    project: Optional[str] = None
    storage: Any = None
    llm: Any = None

    def remember(
        self,
        content: str,
        scope: Optional[str] = None,
        categories: Optional[List[str]] = None,
        metadata: Optional[dict[str, Any]] = None,
        importance: Optional[float] = None,
        source: Optional[str] = None,
        private: bool = False,
        agent_role: Optional[str] = None,
        root_scope: Optional[str] = None,
    ) -> Optional[MemoryRecord]:
        """Save a statement."""
        if self.read_only:
            return None
        saved = self.client.remember(
            content,
            project=self.project,
            tags=[*(categories or []), *([f"scope:{scope}"] if scope else [])],
            importance=importance,
            who=agent_role,
            visibility="private" if private else None,
        )
        return MemoryRecord(
            id=saved["id"],
            content=saved["content"],
            scope=scope or "/",
            categories=categories or [],
            importance=saved["importance"],
            source=source,
            private=private,
        )

    def remember_many(
        self, contents: List[str], *fields: Any, **named: Any
    ) -> List[MemoryRecord]:
        """Save several statements."""
        return [record for each in contents if (record := self.remember(each, *fields, **named))]

    def extract_memories(self, content: str) -> List[str]:
        """Draw statements from a text by the model, if there is one."""
        return super().extract_memories(content) if self.llm is not None else []

    def recall(
        self,
        query: str,
        scope: Optional[str] = None,
        categories: Optional[List[str]] = None,
        limit: int = 10,
        depth: Literal["shallow", "deep"] = "deep",
        source: Optional[str] = None,
        include_private: bool = False,
    ) -> List[MemoryMatch]:
        """Find memories that answer a question, best first."""
        tags = [*(categories or []), *([f"scope:{scope}"] if scope else [])]
        reply = self.client.recall(query, limit=limit, project=self.project, tags=tags or None)
        return [
            MemoryMatch(record=_record_of(row), score=row["score"], match_reasons=[row["source"]])
            for row in reply["results"]
        ]

    def forget(self, *fields: Any, record_ids: Optional[List[str]] = None, **named: Any) -> int:
        """Forget memories by their ids, for 30 days recoverably."""
        if not record_ids or fields or any(named.values()):
            raise ValueError("memory-service forgets only by record_ids")
        for each in record_ids:
            self.client.forget(each, reason="forgotten by CrewAI")
        return len(record_ids)


def _record_of(row: Any) -> MemoryRecord:
    tags = [tag for tag in row["tags"].split(",") if tag]
    scopes = [tag[len("scope:") :] for tag in tags if tag.startswith("scope:")]
    at = datetime.fromisoformat(row["created_at"].replace("Z", "+00:00")).astimezone(timezone.utc)
    return MemoryRecord(
        id=row["id"],
        content=row["content"],
        scope=scopes[0] if scopes else "/",
        categories=[tag for tag in tags if not tag.startswith("scope:")],
        importance=row["importance"],
        created_at=at.replace(tzinfo=None),
        source=row["who"],
    )

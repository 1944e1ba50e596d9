"""A retriever of LangChain."""

from __future__ import annotations

from typing import Any, Dict, List

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from .. import Memory

_FIELDS = ("id", "type", "tags", "project", "score", "created_at")


class MemoryRetriever(BaseRetriever):
    """Finds memories, best first; each document has the id and the fields of its memory.

    ``recall`` are options of ``Memory.recall``.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Memory = Field(exclude=True)
    recall: Dict[str, Any] = Field(default_factory=dict)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> List[Document]:
        rows: List[Any] = list(self.memory.recall(query, **self.recall)["results"])
        return [
            Document(id=row["id"], page_content=row["content"], metadata={name: row[name] for name in _FIELDS})
            for row in rows
        ]

"""A store of LangGraph."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime, timezone
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, cast
from urllib.parse import quote, unquote

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from .. import Memory

_ALL = "langgraph"
#: Rows of one recall at most.
_MOST_RECALLED = 100


class MemoryStore(BaseStore):
    """Keeps items as memories, so that other agents find them as well.

    An item with one text, like ``{"text": "likes tea"}``, is a memory of this text; others are their JSON. Writes
    are applied in their order. ``index`` is not followed: all of an item can be searched.
    """

    __slots__ = ("_memory", "_project")

    def __init__(self, memory: Memory, *, project: Optional[str] = None) -> None:
        self._memory = memory
        self._project = project

    def batch(self, ops: Iterable[Op]) -> List[Result]:
        """Run operations one after another."""
        return [self._run(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> List[Result]:
        """Run operations in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _run(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            return self._get(op.namespace, str(op.key))
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, PutOp):
            self._put(op)
            return None
        return self._namespaces(op)

    def _get(self, namespace: Tuple[str, ...], key: str) -> Optional[Item]:
        for row in self._rows(_item_tag(namespace, key)):
            return self._read(row["id"])
        return None

    def _put(self, op: PutOp) -> None:
        key = str(op.key)
        created = datetime.now(timezone.utc)
        for row in self._rows(_item_tag(op.namespace, key)):
            known = self._read(row["id"])
            created = known.created_at if known else created
            self._memory.forget(row["id"], reason=f"{'deleted' if op.value is None else 'replaced'} by LangGraph")
        if op.value is None:
            return
        saved = self._memory.remember(
            f"{_text_of(op.value)} ({self._name_of(op.namespace, key)})",
            project=self._project,
            tags=[
                _ALL,
                _item_tag(op.namespace, key),
                *(_prefix_tag(op.namespace[: end + 1]) for end in range(len(op.namespace))),
            ],
            structured=cast(
                Any,
                {
                    _ALL: {
                        "namespace": list(op.namespace),
                        "key": key,
                        "value": op.value,
                        "createdAt": created.isoformat(),
                    }
                },
            ),
        )
        if saved["deduped"]:
            kept = self._read(saved["id"])
            if kept is None or kept.key != key:
                raise ValueError(f"the key {key} is there in another case, which this store takes for the same")

    def _search(self, op: SearchOp) -> List[SearchItem]:
        found: List[SearchItem] = []
        for memory_id, score in self._candidates(_prefix_tag(op.namespace_prefix), op.query):
            item = self._read(memory_id)
            if item and _matches(item.value, op.filter):
                found.append(
                    SearchItem(item.namespace, item.key, item.value, item.created_at, item.updated_at, score)
                )
            if len(found) >= op.offset + op.limit:
                break
        return found[op.offset :]

    def _candidates(self, tag: str, query: Optional[str]) -> Iterator[Tuple[str, Optional[float]]]:
        if not query:
            for row in self._rows(tag):
                yield row["id"], None
            return
        reply = self._memory.recall(query, tags=[tag], limit=_MOST_RECALLED, project=self._project)
        for result in reply["results"]:
            yield result["id"], result["score"]

    def _namespaces(self, op: ListNamespacesOp) -> List[Tuple[str, ...]]:
        found: Dict[Tuple[str, ...], None] = {}
        for row in self._rows(_ALL):
            namespace = _namespace_of(row["tags"].split(","))
            if all(_fits(namespace, condition) for condition in op.match_conditions or ()):
                found[namespace[: op.max_depth]] = None
        return list(found)[op.offset : op.offset + op.limit]

    def _name_of(self, namespace: Tuple[str, ...], key: str) -> str:
        # Two stores never share a memory, not even for one text.
        return "/".join((*([self._project] if self._project is not None else []), *namespace, key))

    def _rows(self, tag: str) -> Iterator[Any]:
        filters: Dict[str, Any] = {"tags": [tag], "max_content": 1}
        if self._project is not None:
            filters["project"] = self._project
        return iter(self._memory.list(**filters))

    def _read(self, memory_id: str) -> Optional[Item]:
        record = self._memory.get(memory_id)
        structured: Any = record["structured"]
        stored = structured.get(_ALL) if isinstance(structured, dict) else None
        if not stored:
            return None
        return Item(
            namespace=tuple(stored["namespace"]),
            key=stored["key"],
            value=stored["value"],
            created_at=_time(stored["createdAt"]),
            updated_at=_time(record["created_at"]),
        )


def _time(text: str) -> datetime:
    # Python 3.10 does not read a Z.
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def _encoded(path: Sequence[str]) -> str:
    return "/".join(quote(str(label), safe="!*'()") for label in path)


def _prefix_tag(prefix: Sequence[str]) -> str:
    return f"{_ALL}:{_encoded(prefix)}" if prefix else _ALL


def _item_tag(namespace: Sequence[str], key: str) -> str:
    return f"{_ALL}-item:{_encoded((*namespace, key))}"


def _namespace_of(tags: Sequence[str]) -> Tuple[str, ...]:
    start = f"{_ALL}-item:"
    item = next((tag for tag in tags if tag.startswith(start)), start)
    return tuple(unquote(label) for label in item[len(start) :].split("/")[:-1])


def _text_of(value: Mapping[str, Any]) -> str:
    texts = list(value.values())
    if len(texts) == 1 and isinstance(texts[0], str):
        return texts[0]
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _fits(namespace: Tuple[str, ...], condition: MatchCondition) -> bool:
    path = condition.path
    part = namespace[-len(path) :] if condition.match_type == "suffix" else namespace[: len(path)]
    return len(part) == len(path) and all(want in ("*", label) for want, label in zip(path, part))


def _matches(value: Dict[str, Any], wanted: Optional[Dict[str, Any]]) -> bool:
    for field, want in (wanted or {}).items():
        is_rule = isinstance(want, dict) and any(name.startswith("$") for name in want)
        rules = want.items() if is_rule else [("$eq", want)]
        if not all(_compare(value.get(field), name, operand) for name, operand in rules):
            return False
    return True


def _compare(value: Any, name: str, operand: Any) -> bool:
    if name == "$eq":
        return bool(value == operand)
    if name == "$ne":
        return bool(value != operand)
    if name not in ("$gt", "$gte", "$lt", "$lte"):
        raise ValueError(f"unknown comparison: {name}")
    if value is None:
        return False
    left, right = float(value), float(operand)
    return {"$gt": left > right, "$gte": left >= right, "$lt": left < right, "$lte": left <= right}[name]

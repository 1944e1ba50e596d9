"""The asynchronous client."""

from __future__ import annotations

import asyncio
import json
import uuid
from types import TracebackType
from typing import TYPE_CHECKING, Any, AsyncIterator, Dict, List, Literal, Mapping, Optional, Type, Union, cast

import httpx

from . import _api as api
from ._errors import ServiceError, error_of
from ._local import Place, find_daemon
from ._requests import (
    PAGE_SIZE,
    PromptContext,
    Request,
    connection_error,
    event_of,
    may_repeat,
    path_of,
    pause_before,
    query_of,
    request_of,
)

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


class AsyncMemory:
    """Remembers, recalls and forgets in a memory-service.

    :param url: address of the service; if absent, the daemon of this machine is found, and started if needed
    :param key: API key (``memory api-key create``)
    :param workspace: folder of the workspace whose daemon is found; the default one if absent
    :param agent: agent under whose name memories are saved and read
    :param timeout: seconds that each part of a request may take
    :param retries: further attempts after a failure that a retry may mend
    :param transport: another transport of httpx

    ``sessions`` has the methods for sessions, ``documents`` those for documents.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        *,
        key: Optional[str] = None,
        workspace: Optional[str] = None,
        agent: Optional[str] = None,
        timeout: float = 60.0,
        retries: int = 3,
        transport: Optional[httpx.AsyncBaseTransport] = None,
    ) -> None:
        self._url = url
        self._workspace = workspace
        self._retries = retries
        self._place: Optional[Place] = None
        headers: Dict[str, str] = {}
        if key:
            headers["authorization"] = f"Bearer {key}"
        if agent:
            headers["x-service-agent-id"] = agent
        self._headers = headers
        # A proxy of the environment cannot reach this machine.
        self._http = httpx.AsyncClient(timeout=timeout, transport=transport, trust_env=url is not None)
        self.sessions = AsyncSessions(self)
        self.documents = AsyncDocuments(self)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def request(
        self,
        method: str,
        path: str,
        *,
        params: Optional[Mapping[str, str]] = None,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Any] = None,
    ) -> Any:
        """Call any address of the API, for example ``request("GET", "/api/timeline/{id}", params={"id": id})``.

        :raises ServiceError:
        """
        address = path_of(path, params or {})
        return await self._send(Request(method, address, query_of(query or {}), body, method == "GET"))

    async def remember(
        self, content: str, *, idempotency_key: Optional[str] = None, **options: Unpack[api.RememberOptions]
    ) -> api.RememberReply:
        """Save a statement; saving a text twice gives the same memory.

        It is sent with an idempotency key, so retries after a lost reply save it once.
        """
        key = idempotency_key or str(uuid.uuid4())
        fields = {"content": content, "idempotency_key": key, **options}
        return cast(api.RememberReply, await self._send(request_of(api.REMEMBER, fields)))

    async def recall(self, query: str, **options: Unpack[api.RecallOptions]) -> api.RecallReply:
        """Find memories that answer a question, best first."""
        return cast(api.RecallReply, await self._send(request_of(api.RECALL, {"query": query, **options})))

    async def context(self, prompt: str, **options: Unpack[api.RecallOptions]) -> PromptContext:
        """Return the memories that belong to a prompt as text for a model.

        With a ``session_key`` nothing comes twice.
        """
        options.setdefault("limit", 5)
        reply = await self.recall(prompt, **options)
        return PromptContext(reply["message"] if reply["results"] else "", reply["results"])

    async def search(self, query: str, **options: Unpack[api.SearchOptions]) -> AsyncIterator[api.SearchReplyItem]:
        """Yield memories, sessions, notes, documents, code and entities for a query, best first."""
        offset: Optional[int] = 0
        while offset is not None:
            fields = {"query": query, "offset": offset, **options}
            page = cast(api.SearchReply, await self._send(request_of(api.SEARCH, fields)))
            for item in page["items"]:
                yield item
            offset = page["next"]

    async def get(self, id: str) -> api.GetMemoryReply:
        """Return a memory."""
        return cast(api.GetMemoryReply, await self._send(request_of(api.GET_MEMORY, {}, {"id": id})))

    async def list(
        self, **options: Unpack[api.ListMemoriesOptions]
    ) -> AsyncIterator[api.ListMemoriesReplyMemory]:
        """Yield memories, newest first. ``limit`` is the size of a page."""
        size = int(options.setdefault("limit", PAGE_SIZE))
        offset = 0
        while True:
            fields = {**options, "offset": offset}
            page = cast(api.ListMemoriesReply, await self._send(request_of(api.LIST_MEMORIES, fields)))
            for memory in page["memories"]:
                yield memory
            if len(page["memories"]) < size:
                return
            offset += size

    async def edit(self, id: str, **fields: Unpack[api.ModifyMemoryOptions]) -> api.ModifyMemoryReply:
        """Change tags, project, importance or pinning."""
        return cast(api.ModifyMemoryReply, await self._send(request_of(api.MODIFY_MEMORY, fields, {"id": id})))

    async def forget(self, id: str, **options: Unpack[api.ForgetMemoryOptions]) -> api.ForgetMemoryReply:
        """Forget a memory; it needs a ``reason``, and ``recover`` brings it back for 30 days."""
        return cast(api.ForgetMemoryReply, await self._send(request_of(api.FORGET_MEMORY, options, {"id": id})))

    async def recover(self, id: str, **options: Unpack[api.RecoverMemoryOptions]) -> api.RecoverMemoryReply:
        """Recover a forgotten memory."""
        request = request_of(api.RECOVER_MEMORY, options, {"id": id})
        return cast(api.RecoverMemoryReply, await self._send(request))

    async def rate(self, id: str, judgement: Literal["up", "down", "wrong", "none"]) -> api.RateMemoryReply:
        """Judge a memory for all recalls."""
        request = request_of(api.RATE_MEMORY, {"judgement": judgement}, {"id": id})
        return cast(api.RateMemoryReply, await self._send(request))

    async def history(self, id: str, **options: Unpack[api.MemoryHistoryOptions]) -> api.MemoryHistoryReply:
        """List the changes of a memory, oldest first."""
        request = request_of(api.MEMORY_HISTORY, options, {"id": id})
        return cast(api.MemoryHistoryReply, await self._send(request))

    async def changes(self) -> AsyncIterator[api.FollowMemoriesReply]:
        """Yield changes of memories as they happen, without texts, until the caller stops reading."""
        async for line in self._lines(request_of(api.FOLLOW_MEMORIES, {})):
            event = event_of(line)
            if event is not None:
                yield cast(api.FollowMemoriesReply, event)

    async def export(self, **options: Unpack[api.ExportMemoriesOptions]) -> AsyncIterator[api.ExportMemoriesReply]:
        """Yield the lines of an export as they arrive: a header, agents, memories with their history."""
        async for line in self._lines(request_of(api.EXPORT_MEMORIES, options)):
            if line:
                yield cast(api.ExportMemoriesReply, json.loads(line))

    async def status(self) -> api.StatusReply:
        """Return the state of the daemon."""
        return cast(api.StatusReply, await self._send(request_of(api.STATUS, {})))

    async def _send(self, request: Request) -> Any:
        attempt = 0
        while True:
            retry_after: Optional[str] = None
            try:
                url, headers = await self._find()
                try:
                    reply = await self._http.request(
                        request.method,
                        f"{url.rstrip('/')}{request.path}",
                        params=request.query or None,
                        headers={**headers, **self._headers},
                        json=request.body,
                    )
                except httpx.TransportError as cause:
                    self._place = None
                    raise connection_error(cause, url) from cause
                if reply.is_success:
                    return reply.json() if "json" in reply.headers.get("content-type", "") else reply.text
                retry_after = reply.headers.get("retry-after")
                raise error_of(reply.status_code, reply.text, reply.headers)
            except ServiceError as error:
                if attempt >= self._retries or not may_repeat(error, request):
                    raise
                await asyncio.sleep(pause_before(attempt, error, retry_after))
                attempt += 1

    async def _lines(self, request: Request) -> AsyncIterator[str]:
        url, headers = await self._find()
        limit = self._http.timeout
        timeout = httpx.Timeout(connect=limit.connect, read=None, write=limit.write, pool=limit.pool)
        try:
            async with self._http.stream(
                request.method,
                f"{url.rstrip('/')}{request.path}",
                params=request.query or None,
                headers={**headers, **self._headers},
                timeout=timeout,
            ) as reply:
                if not reply.is_success:
                    await reply.aread()
                    raise error_of(reply.status_code, reply.text, reply.headers)
                async for line in reply.aiter_lines():
                    yield line
        except httpx.TransportError as cause:
            self._place = None
            raise connection_error(cause, url) from cause

    async def _find(self) -> Place:
        """A daemon that was restarted has another port, so it is found again after a failure."""
        if self._place is None:
            if self._url:
                self._place = Place(self._url, {})
            else:
                self._place = await asyncio.to_thread(find_daemon, self._workspace)
        return self._place


class AsyncSessions:
    """Sessions as hooks report them: a start and each prompt get context, the end keeps the transcript."""

    def __init__(self, memory: AsyncMemory) -> None:
        self._memory = memory

    async def start(
        self, session_key: str, *, harness: str = "sdk", **options: Unpack[api.StartSessionOptions]
    ) -> api.StartSessionReply:
        """Open a session; ``inject`` of the reply is its starting context."""
        fields = {"harness": harness, "session_key": session_key, **options}
        return cast(api.StartSessionReply, await self._memory._send(request_of(api.START_SESSION, fields)))

    async def prompt(
        self,
        session_key: str,
        user_message: str,
        *,
        harness: str = "sdk",
        **options: Unpack[api.PromptSessionOptions],
    ) -> api.PromptSessionReply:
        """Count a prompt; ``inject`` has facts about the entities that it names."""
        fields = {"harness": harness, "session_key": session_key, "user_message": user_message, **options}
        return cast(api.PromptSessionReply, await self._memory._send(request_of(api.PROMPT_SESSION, fields)))

    async def end(
        self, session_key: str, *, harness: str = "sdk", **options: Unpack[api.EndSessionOptions]
    ) -> api.EndSessionReply:
        """End a session and keep its ``transcript``, a text or messages with ``role`` and ``content``."""
        fields = {"harness": harness, "session_key": session_key, **options}
        return cast(api.EndSessionReply, await self._memory._send(request_of(api.END_SESSION, fields)))

    async def list(self, **options: Unpack[api.ListSessionsOptions]) -> List[api.ListSessionsReplySession]:
        """List live sessions, with ``past`` also earlier ones."""
        reply = await self._memory._send(request_of(api.LIST_SESSIONS, options))
        return cast(api.ListSessionsReply, reply)["sessions"]

    async def search(
        self, query: str, **options: Unpack[api.SearchSessionsOptions]
    ) -> List[api.SearchSessionsReplyHit]:
        """Find what earlier sessions said."""
        reply = await self._memory._send(request_of(api.SEARCH_SESSIONS, {"query": query, **options}))
        return cast(api.SearchSessionsReply, reply)["hits"]

    async def turns(self, key: str, **options: Unpack[api.SessionTurnsOptions]) -> api.SessionTurnsReply:
        """Return some turns of a session."""
        request = request_of(api.SESSION_TURNS, options, {"key": key})
        return cast(api.SessionTurnsReply, await self._memory._send(request))


class AsyncDocuments:
    """Documents, whose passages recall finds."""

    def __init__(self, memory: AsyncMemory) -> None:
        self._memory = memory

    async def add(
        self, source_type: Literal["text", "url", "file"], **options: Unpack[api.AddDocumentOptions]
    ) -> api.AddDocumentReply:
        """Add a text (``content``), a web page (``url``), or a file of the daemon's machine (``url``, a path)."""
        request = request_of(api.ADD_DOCUMENT, {"source_type": source_type, **options})
        return cast(api.AddDocumentReply, await self._memory._send(request))

    async def get(self, id: str) -> api.GetDocumentReply:
        """Return a document."""
        request = request_of(api.GET_DOCUMENT, {}, {"id": id})
        return cast(api.GetDocumentReply, await self._memory._send(request))

    async def ready(self, id: str, *, every: float = 0.2) -> api.GetDocumentReply:
        """Wait until a document can be found, or its reading failed; ``status`` says which."""
        while True:
            document = await self.get(id)
            if document["status"] in ("done", "failed", "deleted"):
                return document
            await asyncio.sleep(every)

    async def list(
        self, **options: Unpack[api.ListDocumentsOptions]
    ) -> AsyncIterator[api.ListDocumentsReplyDocument]:
        """Yield documents, newest first. ``limit`` is the size of a page."""
        size = int(options.setdefault("limit", PAGE_SIZE))
        offset = 0
        while True:
            request = request_of(api.LIST_DOCUMENTS, {**options, "offset": offset})
            page = cast(api.ListDocumentsReply, await self._memory._send(request))
            for document in page["documents"]:
                yield document
            if len(page["documents"]) < size:
                return
            offset += size

    async def passages(self, id: str) -> List[api.DocumentPassagesReplyChunk]:
        """List the passages of a document in order."""
        reply = await self._memory._send(request_of(api.DOCUMENT_PASSAGES, {}, {"id": id}))
        return cast(api.DocumentPassagesReply, reply)["chunks"]

    async def remove(self, id: str, **options: Unpack[api.RemoveDocumentOptions]) -> api.RemoveDocumentReply:
        """Remove a document and the passages that only it has; it needs a ``reason``."""
        request = request_of(api.REMOVE_DOCUMENT, options, {"id": id})
        return cast(api.RemoveDocumentReply, await self._memory._send(request))

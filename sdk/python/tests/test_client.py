"""Uses an installed client against the daemon of SERVICE_WORKSPACE; `.ci/sdks` starts both."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, Dict, List
from unittest import mock

import httpx

import memory_service
from memory_service import (
    AsyncMemory,
    ConflictError,
    InvalidRequestError,
    Memory,
    NotFoundError,
    RateLimitError,
    ServiceConnectionError,
    UnavailableError,
)

README = Path(__file__).parents[1] / "README.md"


class LocalDaemon(unittest.TestCase):
    """One client that finds the daemon by its registration."""

    def setUp(self) -> None:
        self.memory = Memory()
        self.addCleanup(self.memory.close)

    def test_one_memory(self) -> None:
        memory = self.memory
        saved = memory.remember("The crane lifts 40 tonnes", tags=["crane"], type="fact")
        self.assertEqual(memory.get(saved["id"])["content"], "The crane lifts 40 tonnes")
        self.assertIn(saved["id"], [row["id"] for row in memory.recall("how much does the crane lift")["results"]])
        self.assertEqual(memory.edit(saved["id"], tags=["lift"], reason="better")["status"], "updated")
        self.assertEqual(memory.rate(saved["id"], "up")["judgement"], "up")
        self.assertEqual(memory.forget(saved["id"], reason="sold")["status"], "deleted")
        self.assertEqual(memory.recover(saved["id"], reason="kept")["status"], "recovered")
        events = [change["event"] for change in memory.history(saved["id"])["history"]]
        self.assertEqual(events, ["created", "modified", "deleted", "recovered"])
        again = memory.remember("The crane lifts 40 tonnes")
        self.assertTrue(again["deduped"])

    def test_context(self) -> None:
        self.memory.remember("The harbour office opens at seven")
        text, memories = self.memory.context("when does the harbour office open")
        self.assertIn("opens at seven", text)
        self.assertTrue(memories)
        self.assertEqual(self.memory.context("zebra quartz violin"), ("", []))

    def test_pages(self) -> None:
        for number in range(7):
            self.memory.remember(f"Lighthouse lamp number {number}", project="lamps")
        rows = list(self.memory.list(project="lamps", limit=3))
        self.assertEqual(len(rows), 7)
        found = [item["id"] for item in self.memory.search("lighthouse lamp", limit=3)]
        self.assertGreater(len(found), 3)
        kinds = [line["kind"] for line in self.memory.export(project="lamps")]
        self.assertEqual(kinds.count("memory"), 7)

    def test_documents(self) -> None:
        documents = self.memory.documents
        added = documents.add("text", content="# Pilot\n\nThe pilot is called Edda.", title="Pilot")
        self.assertEqual(documents.ready(added["id"])["status"], "done")
        self.assertIn("Edda", documents.passages(added["id"])[0]["content"])
        self.assertIn(added["id"], [row["id"] for row in documents.list()])
        self.assertTrue(documents.remove(added["id"], reason="old")["deleted"])

    def test_sessions(self) -> None:
        sessions = self.memory.sessions
        self.assertIn("inject", sessions.start("python-1"))
        self.assertIn("inject", sessions.prompt("python-1", "How is the quay lit?"))
        self.assertIn("python-1", [row["key"] for row in sessions.list()])
        messages = [
            {"role": "user", "content": "How is the quay lit?"},
            {"role": "assistant", "content": "By sodium lanterns along the western quay, since last spring."},
        ]
        self.assertEqual(sessions.end("python-1", transcript=messages)["transcript"], "queued")
        deadline = time.monotonic() + 60
        hits = sessions.search("sodium lanterns")
        while not hits and time.monotonic() < deadline:
            time.sleep(0.1)
            hits = sessions.search("sodium lanterns")
        self.assertEqual(hits[0]["sessionKey"], "python-1")
        self.assertGreater(sessions.turns("python-1")["total"], 0)

    def test_changes(self) -> None:
        for change in self.memory.changes():
            if change["type"] == "connected":
                saved = self.memory.remember("A change that is followed in Python")
            if change["type"] == "changed":
                self.assertEqual((change["kind"], change["id"]), ("remembered", saved["id"]))
                break

    def test_errors(self) -> None:
        with self.assertRaises(NotFoundError) as missing:
            self.memory.get("00000000-0000-7000-8000-000000000000")
        self.assertEqual((missing.exception.status, missing.exception.code), (404, "not_found"))
        self.assertTrue(missing.exception.request_id)
        with self.assertRaises(InvalidRequestError):
            self.memory.request("POST", "/api/memory/recall", body={})
        pinned = self.memory.remember("A pinned rule of Python", pinned=True)
        with self.assertRaises(ConflictError):
            self.memory.forget(pinned["id"], reason="test")
        with self.assertRaises(TypeError):
            self.memory.recall("x", colour="blue")  # type: ignore[call-arg]

    def test_request(self) -> None:
        self.assertIn("memory", self.memory.request("GET", "/openapi.json")["info"]["title"])

    def test_readme(self) -> None:
        example = re.search(r"```python\n(.*?)```", README.read_text("utf-8"), re.S)
        assert example
        done = subprocess.run([sys.executable, "-c", example[1]], capture_output=True, text=True, check=True)
        self.assertIn("Postgres 16", done.stdout)


class AsynchronousClient(unittest.IsolatedAsyncioTestCase):
    async def test_memories(self) -> None:
        async with AsyncMemory() as memory:
            saved = await memory.remember("The ferry leaves at noon", project="ferry")
            rows = [row["id"] async for row in memory.list(project="ferry", limit=1)]
            self.assertEqual(rows, [saved["id"]])
            self.assertIn("noon", (await memory.context("when does the ferry leave")).text)
            async for change in memory.changes():
                self.assertEqual(change["type"], "connected")
                break


class Faults(unittest.TestCase):
    """Replies and failures that a healthy daemon does not give."""

    def client(self, answers: List[Any], **options: Any) -> Memory:
        self.requests: List[httpx.Request] = []

        def answer(request: httpx.Request) -> httpx.Response:
            self.requests.append(request)
            one = answers[min(len(self.requests), len(answers)) - 1]
            if isinstance(one, Exception):
                raise one
            return one

        return Memory("http://service.test", transport=httpx.MockTransport(answer), **options)

    def setUp(self) -> None:
        patch = mock.patch("time.sleep")
        patch.start()
        self.addCleanup(patch.stop)

    def test_a_lost_save_is_sent_again_with_its_key(self) -> None:
        memory = self.client([httpx.ReadError("lost"), httpx.ReadError("lost"), httpx.Response(200, json={"id": "1"})])
        self.assertEqual(memory.remember("once")["id"], "1")
        keys = {json.loads(request.content)["idempotencyKey"] for request in self.requests}
        self.assertEqual((len(self.requests), len(keys)), (3, 1))

    def test_a_change_that_may_have_happened_is_not_sent_again(self) -> None:
        memory = self.client([httpx.ReadError("lost")])
        with self.assertRaises(ServiceConnectionError):
            memory.forget("1", reason="x")
        self.assertEqual(len(self.requests), 1)

    def test_a_refused_change_is_sent_again(self) -> None:
        starting = httpx.Response(503, json={"code": "starting"}, headers={"retry-after": "0"})
        memory = self.client([starting, httpx.ConnectError("refused"), httpx.Response(200, json={"status": "updated"})])
        self.assertEqual(memory.edit("1", reason="x")["status"], "updated")

    def test_retries_end(self) -> None:
        memory = self.client([httpx.Response(429, json={"error": "no", "code": "rate_limited"})], retries=2)
        with self.assertRaises(RateLimitError):
            memory.status()
        self.assertEqual(len(self.requests), 3)
        memory = self.client([httpx.Response(507, json={"code": "insufficient_storage"})])
        with self.assertRaises(UnavailableError):
            memory.status()
        self.assertEqual(len(self.requests), 1)

    def test_a_key_and_an_agent_are_sent(self) -> None:
        self.client([httpx.Response(200, json={})], key="k", agent="bot").status()
        headers = self.requests[0].headers
        self.assertEqual((headers["authorization"], headers["x-service-agent-id"]), ("Bearer k", "bot"))


class Finding(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        patch = mock.patch.dict(os.environ, {"SERVICE_NO_AUTOSTART": "1"})
        patch.start()
        self.addCleanup(patch.stop)

    def test_no_daemon(self) -> None:
        with self.assertRaises(ServiceConnectionError) as absent:
            Memory(workspace=str(self.root)).status()
        self.assertEqual(absent.exception.code, "not_running")
        self.assertIn("memory daemon start", str(absent.exception))

    def test_nothing_is_sent_to_another_program(self) -> None:
        seen: List[str] = []

        class Stranger(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                seen.append(self.path)
                self.send_response(200)
                self.end_headers()

            do_POST = do_GET

            def log_message(self, *_: Any) -> None:
                pass

        server = HTTPServer(("127.0.0.1", 0), Stranger)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        (self.root / ".daemon").mkdir()
        registration: Dict[str, Any] = {"host": "127.0.0.1", "port": server.server_port, "instance": "secret"}
        (self.root / ".daemon" / "daemon.json").write_text(json.dumps(registration))
        with self.assertRaises(ServiceConnectionError):
            Memory(workspace=str(self.root)).remember("a secret")
        self.assertEqual(seen, ["/health"])

    def test_a_closed_port(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        with mock.patch("time.sleep"), self.assertRaises(ServiceConnectionError) as refused:
            Memory(f"http://127.0.0.1:{port}", retries=1).status()
        self.assertEqual(refused.exception.code, "connection_failed")


class Package(unittest.TestCase):
    def test_it_is_the_installed_one(self) -> None:
        self.assertIn("site-packages", memory_service.__file__)
        self.assertTrue(Path(memory_service.__file__).with_name("py.typed").exists())


if __name__ == "__main__":
    unittest.main()

"""Uses the adapters with the real frameworks and fake models; `.ci/sdks` runs it."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple, TypeVar

from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
from claude_agent_sdk import ClaudeAgentOptions, query
from examples import PROMPT, printed_by_example
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.config import get_store
from langgraph.graph import START, StateGraph
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms import MockLLM
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from memory_service import Memory
from memory_service.adapters.claude_agent import memory_hooks
from memory_service.adapters.langchain import MemoryRetriever
from memory_service.adapters.langgraph import MemoryStore
from memory_service.adapters.llama_index import MemoryRetriever as LlamaRetriever
from memory_service.adapters.llama_index import SharedMemoryBlock
from memory_service.adapters.openai_agents import KeptSession, memory_tools

T = TypeVar("T")
FAKE_CLAUDE = os.environ["FAKE_CLAUDE"]


def eventually(look: Callable[[], Optional[T]]) -> T:
    """Look until something is found."""
    for _ in range(120):
        found = look()
        if found:
            return found
        time.sleep(0.5)
    raise AssertionError("it did not come")


def away() -> Memory:
    """A client of a service that does not run."""
    return Memory("http://127.0.0.1:9", retries=0)


class WithMemory(unittest.TestCase):
    memory: Memory

    @classmethod
    def setUpClass(cls) -> None:
        set_tracing_disabled(True)
        cls.memory = Memory()
        cls.memory.remember("The staging database is Postgres 16")


class Echo(BaseChatModel):
    """Answers with what it was given."""

    @property
    def _llm_type(self) -> str:
        return "echo"

    def _generate(self, messages: List[BaseMessage], *fields: Any, **named: Any) -> ChatResult:
        text = "\n".join(str(message.content) for message in messages)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=f"I read: {text}"))])


class LangChain(WithMemory):
    def test_example(self) -> None:
        self.assertIn("Postgres 16", printed_by_example("langchain", self.memory, Echo()))

    def test_documents(self) -> None:
        retriever = MemoryRetriever(memory=self.memory, recall={"limit": 1})
        (document,) = asyncio.run(retriever.ainvoke(PROMPT))
        self.assertEqual(document.page_content, "The staging database is Postgres 16")
        self.assertEqual(document.id, document.metadata["id"])
        self.assertGreater(document.metadata["score"], 0)


class LangGraph(WithMemory):
    def test_example(self) -> None:
        self.assertIn("green tea", printed_by_example("langgraph", self.memory, None))

    def test_store(self) -> None:
        store = MemoryStore(self.memory, project="graph-python")
        ada = ("users", "ada, née B")
        store.put(ada, "likes", {"text": "Ada likes green tea", "rank": 3})
        store.put(ada, "name", {"text": "Ada of the lighthouse"})
        store.put(("users", "bob"), "likes", {"text": "Bob likes coffee", "rank": 1, "tags": ["hot"]})
        store.put(("plans",), "tea", {"text": "Buy green tea for the office"})
        first = store.get(ada, "likes")
        assert first
        self.assertEqual(first.value, {"text": "Ada likes green tea", "rank": 3})
        time.sleep(0.005)
        asyncio.run(store.aput(ada, "likes", {"text": "Ada likes  black tea", "rank": 4}))
        second = store.get(ada, "likes")
        assert second
        self.assertEqual(second.value, {"text": "Ada likes  black tea", "rank": 4})
        self.assertEqual(second.created_at, first.created_at)
        self.assertGreater(second.updated_at, first.updated_at)

        (found,) = store.search(("users",), query="tea")
        self.assertEqual((*found.namespace, found.key), (*ada, "likes"))
        self.assertGreater(found.score or 0, 0)
        self.assertEqual(self.keys(store, filter={"rank": {"$gte": 2}}), ["likes"])
        self.assertEqual(self.keys(store, filter={"rank": {"$ne": 4}, "tags": ["hot"]}), ["likes"])
        self.assertEqual(len(store.search(())), 4)
        self.assertEqual(self.keys(store, offset=1, limit=1), self.keys(store)[1:2])
        self.assertEqual(sorted(store.list_namespaces(prefix=("users",))), [ada, ("users", "bob")])
        self.assertEqual(sorted(store.list_namespaces(max_depth=1)), [("plans",), ("users",)])
        self.assertEqual(store.list_namespaces(suffix=("*", "bob")), [("users", "bob")])

        other = MemoryStore(self.memory, project="another graph of Python")
        other.put(("users", "bob"), "likes", {"text": "Bob likes coffee", "rank": 1, "tags": ["hot"]})
        store.delete(("users", "bob"), "likes")
        self.assertIsNotNone(other.get(("users", "bob"), "likes"))
        self.assertIsNone(store.get(("users", "bob"), "likes"))
        store.put(("users", "bob"), "likes", {"text": "Bob likes coffee", "rank": 1})
        with self.assertRaisesRegex(ValueError, "another case"):
            store.put(("users", "bob"), "LIKES", {"text": "Bob likes coffee", "rank": 1})

    def keys(self, store: MemoryStore, **options: Any) -> List[str]:
        return [item.key for item in store.search(("users",), **options)]

    def test_graph(self) -> None:
        def answer(state: Dict[str, str]) -> Dict[str, str]:
            (best,) = get_store().search(("harbour",), query=state["question"], limit=1)
            return {"answer": str(Echo().invoke(best.value["text"]).content)}

        graph: Any = StateGraph(dict)
        graph.add_node("model", answer)
        graph.add_edge(START, "model")
        MemoryStore(self.memory).put(("harbour",), "crane", {"text": "The crane lifts 40 tonnes"})
        state = graph.compile(store=MemoryStore(self.memory)).invoke({"question": "What does the crane lift?"})
        self.assertIn("40 tonnes", state["answer"])
        self.assertIn("40 tonnes", self.memory.context("what does the crane lift").text)


class LlamaIndex(WithMemory):
    def test_example(self) -> None:
        self.assertIn("Postgres 16", printed_by_example("llama_index", self.memory, MockLLM()))

    def test_retriever_and_block(self) -> None:
        (node,) = LlamaRetriever(self.memory, recall={"limit": 1}).retrieve(PROMPT)
        self.assertEqual(node.text, "The staging database is Postgres 16")
        self.assertGreater(node.score or 0, 0)
        block = SharedMemoryBlock(memory=self.memory, session_key="llama-1")
        said = [ChatMessage(role="user", content="Who oils the winch?"), ChatMessage(role="assistant", content="Ove.")]
        asyncio.run(block.aput(said))
        turns = eventually(lambda: self.turns("llama-1"))
        self.assertEqual(turns, ["Who oils the winch?", "Ove."])
        lonely = SharedMemoryBlock(memory=away(), session_key="llama-2")
        self.assertEqual(asyncio.run(lonely.aget(said)), "")
        asyncio.run(lonely.aput(said))

    def turns(self, key: str) -> Optional[List[str]]:
        try:
            return [turn["text"] or "" for turn in self.memory.sessions.turns(key)["turns"]]
        except Exception:
            return None


def said(text: str) -> ResponseOutputMessage:
    part = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(id="m", content=[part], role="assistant", status="completed", type="message")


class FakeModel(Model):
    """Calls tools, then answers with what it was given."""

    def __init__(self, *calls: Tuple[str, Dict[str, str]]) -> None:
        self.calls = list(calls)

    async def get_response(self, system_instructions: Optional[str], input: Any, *fields: Any, **named: Any) -> Any:
        if self.calls:
            name, arguments = self.calls.pop(0)
            call = ResponseFunctionToolCall(
                call_id=f"c{len(self.calls)}", name=name, arguments=json.dumps(arguments), type="function_call"
            )
            return ModelResponse(output=[call], usage=Usage(), response_id=None)
        outputs = [item["output"] for item in input if item.get("type") == "function_call_output"]
        text = "\n".join([f"I read: {system_instructions}", *outputs])
        return ModelResponse(output=[said(text)], usage=Usage(), response_id=None)

    def stream_response(self, *fields: Any, **named: Any) -> Any:
        raise NotImplementedError


class OpenAIAgents(WithMemory):
    def test_example(self) -> None:
        self.assertIn("Postgres 16", printed_by_example("openai_agents", self.memory, FakeModel()))

    def test_tools_and_session(self) -> None:
        model = FakeModel(
            ("remember", {"content": "The ferry leaves at nine"}), ("recall", {"query": "when does the ferry leave"})
        )
        agent = Agent(name="Pilot", model=model, tools=memory_tools(self.memory))
        session = KeptSession(self.memory, "openai-python-1")
        answer = asyncio.run(Runner.run(agent, "Remember the ferry", session=session)).final_output
        self.assertIn("Saved as ", answer)
        self.assertIn("leaves at nine", answer)
        self.assertGreaterEqual(len(asyncio.run(session.get_items())), 6)
        self.assertEqual(len(asyncio.run(session.get_items(2))), 2)

        def kept() -> Optional[List[Any]]:
            items = asyncio.run(KeptSession(self.memory, "openai-python-1").get_items())
            return items if len(items) > 1 else None

        again = eventually(kept)
        self.assertEqual(again[0], {"role": "user", "content": "Remember the ferry"})
        self.assertIn("leaves at nine", again[1]["content"])
        self.assertEqual(asyncio.run(session.pop_item())["type"], "message")  # type: ignore[index]
        asyncio.run(session.clear_session())
        self.assertEqual(asyncio.run(session.get_items()), [])
        lonely = KeptSession(away(), "openai-python-2", on_error=lambda error: None)
        asyncio.run(lonely.add_items([{"role": "user", "content": "hello"}]))
        self.assertEqual(len(asyncio.run(lonely.get_items())), 1)


class ClaudeAgent(WithMemory):
    def test_example(self) -> None:
        self.assertIn("Postgres 16", printed_by_example("claude_agent", self.memory, FAKE_CLAUDE))

    def test_transcript(self) -> None:
        transcript = Path(tempfile.mkdtemp()) / "session.jsonl"
        lines: List[Any] = [
            {"type": "user", "message": {"role": "user", "content": "Who paints the lighthouse?"}},
            {"type": "assistant", "message": {"role": "assistant", "content": "Edda paints it white."}},
        ]
        transcript.write_text("\n".join(json.dumps({"sessionId": "s", **line}) for line in lines))
        env = {"FAKE_TRANSCRIPT": str(transcript), "FAKE_SESSION": "claude-python-2"}

        async def run(memory: Memory) -> str:
            options = ClaudeAgentOptions(hooks=memory_hooks(memory), cli_path=FAKE_CLAUDE, env=env)
            results = [getattr(message, "result", "") async for message in query(prompt=PROMPT, options=options)]
            return "".join(filter(None, results))

        self.assertRegex(asyncio.run(run(self.memory)), r"(?s)Memory across sessions.*Postgres 16")
        (hit, *_) = eventually(lambda: self.memory.sessions.search("Edda paints") or None)
        self.assertEqual(hit["sessionKey"], "claude-python-2")
        self.assertRegex(asyncio.run(run(away())), r"^I read: \s*$")


if __name__ == "__main__":
    unittest.main()

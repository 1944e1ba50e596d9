"""Uses the adapter of CrewAI with a fake model; `.ci/sdks` runs it."""

from __future__ import annotations

import unittest
from typing import Any, List

from crewai import Agent, Crew, Task
from crewai.llms.base_llm import BaseLLM
from examples import PROMPT, printed_by_example

from memory_service import Memory
from memory_service.adapters.crewai import SharedMemory


class Echo(BaseLLM):
    """Answers with what it was given last."""

    def call(self, messages: Any, *fields: Any, **named: Any) -> str:
        text = messages if isinstance(messages, str) else messages[-1]["content"]
        return f"Thought: I now can give a great answer\nFinal Answer: I read: {text}"


class CrewAI(unittest.TestCase):
    memory: Memory

    @classmethod
    def setUpClass(cls) -> None:
        cls.memory = Memory()
        cls.memory.remember("The staging database is Postgres 16")

    def test_example(self) -> None:
        self.assertIn("Postgres 16", printed_by_example("crewai", self.memory, Echo(model="echo")))

    def test_memory(self) -> None:
        shared = SharedMemory(client=self.memory, project="crew")
        record = shared.remember("The sluice opens at noon", scope="/harbour", categories=["sluice"], importance=0.9)
        assert record
        self.assertEqual((record.scope, record.categories, record.importance), ("/harbour", ["sluice"], 0.9))
        shared.remember_many(["The sluice is closed in winter", "The sluice keeper is Edda"])
        (found,) = shared.recall("when does the sluice open", scope="/harbour")
        self.assertEqual((found.record.id, found.record.categories), (record.id, ["sluice"]))
        self.assertIn("opens at noon", found.format())
        self.assertEqual(len(shared.recall("sluice")), 3)
        self.assertEqual(shared.recall("sluice", categories=["other"]), [])
        self.assertEqual(shared.extract_memories("The sluice is green"), [])
        self.assertEqual(shared.forget(record_ids=[record.id]), 1)
        self.assertEqual(shared.recall("sluice", scope="/harbour"), [])
        with self.assertRaises(ValueError):
            shared.forget(scope="/harbour")

    def test_crew_and_its_tools(self) -> None:
        shared = SharedMemory(client=self.memory)
        agent = Agent(role="Helper", goal="Help", backstory="Knows", llm=Echo(model="echo"))
        task = Task(description=PROMPT, expected_output="A name", agent=agent)
        crew = Crew(agents=[agent], tasks=[task], memory=shared)
        self.assertIn("Postgres 16", str(crew.kickoff()))
        tools: List[Any] = crew._add_memory_tools([], shared)
        recall, remember = tools
        self.assertIn("Saved to memory", remember.run(contents=["The gate is made of oak"]))
        self.assertIn("made of oak", recall.run(queries=["what is the gate made of"]))


if __name__ == "__main__":
    unittest.main()

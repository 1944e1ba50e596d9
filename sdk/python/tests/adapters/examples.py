"""Runs the examples of the page of the SDKs, with ``memory``, ``model`` and ``prompt`` as the page names them."""

from __future__ import annotations

import ast
import asyncio
import inspect
import os
import re
from typing import Any, List

from memory_service import Memory

PROMPT = "Which staging database do we use?"


def printed_by_example(adapter: str, memory: Memory, model: Any) -> str:
    """Return what the example of an adapter prints."""
    with open(os.environ["SDKS_PAGE"], encoding="utf-8") as page:
        blocks: List[str] = re.findall(r"```python\n(.*?)```", page.read(), re.S)
    (code,) = [block for block in blocks if f"memory_service.adapters.{adapter} import" in block]
    assert len(code.splitlines()) <= 5, "more than five lines"
    lines: List[str] = []
    given = {"memory": memory, "model": model, "prompt": PROMPT, "print": lambda text: lines.append(str(text))}
    running = eval(compile(code, adapter, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), given)
    if inspect.iscoroutine(running):
        asyncio.run(running)
    print(f"-- {adapter}", *lines, sep="\n", flush=True)
    return "\n".join(lines)

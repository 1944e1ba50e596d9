"""Hooks of the Claude Agent SDK."""

from __future__ import annotations

import asyncio
from typing import Any, Dict, List, Optional, Set

from claude_agent_sdk import HookMatcher
from claude_agent_sdk.types import HookContext, HookEvent, HookInput, HookJSONOutput

from .. import Memory
from ._shared import context_for, warn

_HARNESS = "claude-agent-sdk"


def memory_hooks(memory: Memory, *, project: Optional[str] = None, limit: int = 5) -> Dict[HookEvent, List[HookMatcher]]:
    """Return hooks for ``ClaudeAgentOptions``.

    The first prompt gets what is known of its project, each prompt the memories that answer it, and what was said
    is kept when Claude stops.
    """
    started: Set[str] = set()

    def context_of(given: Any) -> str:
        key, cwd, prompt = given["session_id"], given["cwd"], given["prompt"]
        named: Dict[str, Any] = {"harness": _HARNESS, "cwd": cwd, "project": project}
        texts: List[str] = []
        if key not in started:
            started.add(key)
            opened: Any = memory.sessions.start(key, **named)
            texts.append(opened.get("inject", ""))
        told = memory.sessions.prompt(key, prompt, **named)["inject"]
        texts.append(told or context_for(memory, prompt, project=project, limit=limit, session_key=key))
        return "\n\n".join(filter(None, texts))

    async def give(given: HookInput, tool_use_id: Optional[str], context: HookContext) -> HookJSONOutput:
        try:
            text = await asyncio.to_thread(context_of, given)
        except Exception as error:
            warn(error)
            text = ""
        if not text:
            return {}
        return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": text}}

    async def keep(given: HookInput, tool_use_id: Optional[str], context: HookContext) -> HookJSONOutput:
        named: Dict[str, Any] = {"harness": _HARNESS, "cwd": given["cwd"], "project": project}
        try:
            # An end is captured however short the session is, and a later one replaces it.
            await asyncio.to_thread(
                memory.sessions.end, given["session_id"], transcript_path=given.get("transcript_path"), **named
            )
        except Exception as error:
            warn(error)
        return {}

    return {"UserPromptSubmit": [HookMatcher(hooks=[give])], "Stop": [HookMatcher(hooks=[keep])]}

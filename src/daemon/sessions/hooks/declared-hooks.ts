/** The hooks by which each harness takes notifications (rules.md 4.10); one that is not here polls its inbox. */
export const declaredHooks: Readonly<Record<string, readonly string[]>> = {
  'claude-code': ['SessionStart', 'UserPromptSubmit', 'PreToolUse'],
  codex: ['SessionStart', 'UserPromptSubmit', 'PreToolUse'],
  kimi: ['SessionStart', 'UserPromptSubmit', 'SessionEnd'],
  opencode: [
    'chat.message',
    'tool.execute.before',
    'experimental.chat.system.transform',
    'experimental.chat.messages.transform',
  ],
  openclaw: ['message_received', 'before_tool_call', 'before_prompt_build', 'before_agent_start'],
  pi: ['context'],
  'oh-my-pi': ['before_agent_start'],
  'hermes-agent': ['on_turn_start', 'prefetch', 'sync_turn', 'on_delegation'],
}

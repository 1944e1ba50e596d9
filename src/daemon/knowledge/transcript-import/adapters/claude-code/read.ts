import { sessionLogs } from '../../forms/session-log.js'

/** What other programs begin their logs with that name the session as Claude Code does. */
const others = /"(?:projectHash|session_meta)"|^\s*\{\s*"type"\s*:\s*"session\.start"/u

/** Logs of Claude Code: `~/.claude/projects/FOLDER/SESSION.jsonl`. */
export const claudeCode = sessionLogs({
  name: 'claude-code',
  product: 'Claude Code',
  describe: head =>
    head.has(/"sessionId"\s*:/u) && !head.has(others)
      ? { key: head.field('sessionId'), cwd: head.field('cwd') }
      : undefined,
})

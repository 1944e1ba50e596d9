import { sessionLogs } from '../../forms/session-log.js'

/** Logs of Claude Code: `~/.claude/projects/FOLDER/SESSION.jsonl`. */
export const claudeCode = sessionLogs({
  name: 'claude-code',
  product: 'Claude Code',
  describe: head =>
    head.has(/"sessionId"\s*:/u) && !head.has(/"(?:projectHash|session_meta)"/u)
      ? { key: head.field('sessionId'), cwd: head.field('cwd') }
      : undefined,
})

import { sessionLogs } from '../../forms/session-log.js'

/** Sessions of Gemini CLI: `~/.gemini/tmp/PROJECT/chats/session-*.json` and `.jsonl`. They name no folder. */
export const gemini = sessionLogs({
  name: 'gemini',
  product: 'Gemini CLI',
  describe: head =>
    head.has(/"projectHash"\s*:/u) ? { key: head.field('sessionId'), cwd: undefined } : undefined,
})

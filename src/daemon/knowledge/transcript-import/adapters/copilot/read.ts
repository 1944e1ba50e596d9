import { sessionLogs } from '../../forms/session-log.js'

/** Logs of Copilot CLI: `~/.copilot/session-state/SESSION/events.jsonl`. */
export const copilot = sessionLogs({
  name: 'copilot',
  product: 'Copilot CLI',
  describe: head =>
    head.has(/^\s*\{\s*"type"\s*:\s*"session\.start"/u)
      ? { key: head.field('sessionId'), cwd: head.field('cwd') }
      : undefined,
})

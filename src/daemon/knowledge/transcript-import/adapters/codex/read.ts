import { sessionLogs } from '../../forms/session-log.js'

/** Rollouts of Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`. */
export const codex = sessionLogs({
  name: 'codex',
  product: 'Codex',
  describe: head =>
    head.has(/"type"\s*:\s*"session_meta"/u) && !head.has(/"source"\s*:\s*\{\s*"sub_?agent"/iu)
      ? { key: head.field('id'), cwd: head.field('cwd') }
      : undefined,
})

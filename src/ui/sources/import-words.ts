import type { Reply } from '../../contract/api.js'

export type ImportJob = Reply<'GET /api/sources/imports'>['jobs'][number]

/** Display names of the file formats. */
export const formNames: Readonly<Record<ImportJob['adapter'], string>> = {
  'service-export': 'An export of this memory',
  'chatgpt-export': 'ChatGPT: conversations.json',
  'claude-export': 'claude.ai: conversations.json',
  opencode: 'opencode export',
  'claude-code': 'Logs of Claude Code',
  codex: 'Logs of Codex',
  copilot: 'Logs of Copilot',
  gemini: 'Logs of Gemini',
}

export function isRunning({ state }: ImportJob): boolean {
  return ['queued', 'active', 'interrupted'].includes(state)
}

export function stateWords({ state, removedAt }: ImportJob): string {
  if (removedAt) return 'taken away again'
  return state === 'staging' ? 'waits for its files' : state
}

import type { Reply } from '../../contract/api.js'
import { labelOf } from '../../lib/text/labels.js'

export type ImportJob = Reply<'GET /api/sources/imports'>['jobs'][number]

/** Display names of the file formats. */
export const formNames: Readonly<Record<ImportJob['adapter'], string>> = {
  'service-export': 'Export of memory-service',
  'chatgpt-export': 'ChatGPT: conversations.json',
  'claude-export': 'claude.ai: conversations.json',
  'gemini-takeout': 'Gemini (Takeout): MyActivity.json',
  opencode: 'OpenCode sessions',
  'claude-code': 'Claude Code logs',
  codex: 'Codex logs',
  copilot: 'Copilot logs',
  gemini: 'Gemini logs',
  vscode: 'VS Code logs',
  cursor: 'Cursor logs',
  qwen: 'Qwen Code logs',
  kimi: 'Kimi Code logs',
  pi: 'pi logs',
  'oh-my-pi': 'Oh My Pi logs',
  cline: 'Cline sessions',
  'hermes-agent': 'Hermes Agent sessions',
  openclaw: 'OpenClaw sessions',
  grok: 'Grok Build logs',
  kilo: 'Kilo Code sessions',
}

export function isRunning({ state }: ImportJob): boolean {
  return ['queued', 'active', 'interrupted'].includes(state)
}

export function stateWords({ state, removedAt }: ImportJob): string {
  if (removedAt) return 'removed'
  return labelOf('importState', state)
}

import type { ImportAdapter } from '../../../../contract/knowledge/import-adapters.js'
import type { Adapter } from '../forms/adapter.js'
import { chatgptExport } from './chatgpt-export/read.js'
import { claudeCode } from './claude-code/read.js'
import { claudeExport } from './claude-export/read.js'
import { codex } from './codex/read.js'
import { copilot } from './copilot/read.js'
import { gemini } from './gemini/read.js'
import { opencode } from './opencode/read.js'
import { serviceExport } from './service-export/read.js'

const byName: { readonly [Name in ImportAdapter]: Adapter } = {
  'service-export': serviceExport,
  'chatgpt-export': chatgptExport,
  'claude-export': claudeExport,
  'claude-code': claudeCode,
  codex,
  copilot,
  gemini,
  opencode,
}

/** What reads files of a form. */
export function adapterOf(name: string): Adapter {
  return byName[name as ImportAdapter]
}

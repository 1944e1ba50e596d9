import type { ImportAdapter } from '../../../../contract/knowledge/import-adapters.js'
import type { Adapter } from '../forms/adapter.js'
import { type LogHead, sessionLogs } from '../forms/session-log.js'
import { chatgptExport } from './chatgpt-export.js'
import { claudeExport } from './claude-export.js'
import { geminiTakeout } from './gemini-takeout.js'
import { kilo, opencode } from './opencode.js'
import { serviceExport } from './own-export.js'

/**
 * Sessions of Gemini CLI: `~/.gemini/tmp/PROJECT/chats/session-*.json` and `.jsonl`. They do not name a
 * folder.
 */
const gemini = sessionLogs({
  name: 'gemini',
  product: 'Gemini CLI',
  describe: head =>
    head.has(/"projectHash"\s*:/u) ? { key: head.field('sessionId'), cwd: null } : undefined,
})

const describeCopilot = (head: LogHead) =>
  head.has(/^\s*\{\s*"type"\s*:\s*"session\.start"/u)
    ? { key: head.field('sessionId'), cwd: head.field('cwd') }
    : undefined

/** Logs of Copilot CLI: `~/.copilot/session-state/SESSION/events.jsonl`. */
const copilot = sessionLogs({ name: 'copilot', product: 'Copilot CLI', describe: describeCopilot })

/** The same events in VS Code: `workspaceStorage/ID/GitHub.copilot-chat/transcripts/SESSION.jsonl`. */
const vscode = sessionLogs({
  name: 'vscode',
  product: 'VS Code',
  describe: head => {
    const said = describeCopilot(head)
    return said && { ...said, cwd: said.cwd ?? null }
  },
})

/** Chats of Cursor: `~/.cursor/projects/FOLDER/agent-transcripts/SESSION/SESSION.jsonl`. */
const cursor = sessionLogs({
  name: 'cursor',
  product: 'Cursor',
  describe: head =>
    head.has(/^\s*\{\s*"role"\s*:\s*"\w+"\s*,\s*"message"\s*:/u) ? { key: undefined, cwd: null } : undefined,
})

/** Chats of Qwen Code: `~/.qwen/projects/FOLDER/chats/SESSION.jsonl`. */
const qwen = sessionLogs({
  name: 'qwen',
  product: 'Qwen Code',
  describe: head =>
    head.has(/"provenance"\s*:\s*"\w+"/u)
      ? { key: head.field('sessionId'), cwd: head.field('cwd') }
      : undefined,
})

/** Sessions of Kimi Code: `~/.kimi-code/sessions/FOLDER/SESSION/agents/main/wire.jsonl`. */
const kimi = sessionLogs({
  name: 'kimi',
  product: 'Kimi Code',
  describe: head => (head.has(/"type"\s*:\s*"context\.\w+"/u) ? { key: undefined, cwd: null } : undefined),
})

const describePi = (head: LogHead) =>
  head.has(/^\s*\{\s*"type"\s*:\s*"session"\s*,/u)
    ? { key: head.field('id'), cwd: head.field('cwd') || null }
    : undefined

/** Sessions of pi: `~/.pi/agent/sessions/FOLDER/TIME_SESSION.jsonl`. */
const pi = sessionLogs({ name: 'pi', product: 'pi', describe: describePi })

/** Sessions of Oh My Pi, which has them in `~/.omp/agent/sessions`. */
const ohMyPi = sessionLogs({ name: 'oh-my-pi', product: 'Oh My Pi', describe: describePi })

/** Sessions out of the database of Hermes Agent, as the command line writes them. */
const hermesAgent = sessionLogs({ name: 'hermes-agent', product: 'Hermes Agent', describe: describePi })

/** The same of OpenClaw, whose older sessions are such files. */
const openClaw = sessionLogs({ name: 'openclaw', product: 'OpenClaw', describe: describePi })

/** Sessions of Cline, `~/.cline/data/sessions/SESSION/SESSION.messages.json`, and tasks of its extension. */
const cline = sessionLogs({
  name: 'cline',
  product: 'Cline',
  describe: head =>
    head.has(/^\s*\{\s*"version"\s*:|^\s*\[\s*\{\s*"role"\s*:/u)
      ? { key: head.field('sessionId'), cwd: null }
      : undefined,
})

/** Sessions of Grok Build: `~/.grok/sessions/FOLDER/SESSION/updates.jsonl`. */
const grok = sessionLogs({
  name: 'grok',
  product: 'Grok Build',
  describe: head =>
    head.has(/"method"\s*:\s*"(?:_x\.ai\/)?session\/update"/u)
      ? { key: head.field('sessionId'), cwd: null }
      : undefined,
})

/** Rollouts of Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`. */
const codex = sessionLogs({
  name: 'codex',
  product: 'Codex',
  describe: head =>
    head.has(/"type"\s*:\s*"session_meta"/u) && !head.has(/"source"\s*:\s*\{\s*"sub_?agent"/iu)
      ? { key: head.field('id'), cwd: head.field('cwd') }
      : undefined,
})

/** Markers of other programs whose logs name the session the same way as Claude Code's. */
const others = /"(?:projectHash|session_meta|provenance)"|^\s*\{\s*"type"\s*:\s*"session\.start"/u

/** Logs of Claude Code: `~/.claude/projects/FOLDER/SESSION.jsonl`. */
const claudeCode = sessionLogs({
  name: 'claude-code',
  product: 'Claude Code',
  describe: head =>
    head.has(/"sessionId"\s*:|"type"\s*:\s*"(?:summary|file-history-snapshot)"/u) && !head.has(others)
      ? { key: head.field('sessionId'), cwd: head.field('cwd') }
      : undefined,
})

const byName: { readonly [Name in ImportAdapter]: Adapter } = {
  'service-export': serviceExport,
  'chatgpt-export': chatgptExport,
  'claude-export': claudeExport,
  'gemini-takeout': geminiTakeout,
  'claude-code': claudeCode,
  codex,
  copilot,
  gemini,
  opencode,
  vscode,
  cursor,
  qwen,
  kimi,
  pi,
  'oh-my-pi': ohMyPi,
  cline,
  'hermes-agent': hermesAgent,
  openclaw: openClaw,
  grok,
  kilo,
}

export function adapterOf(name: string): Adapter {
  return byName[name as ImportAdapter]
}

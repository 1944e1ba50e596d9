import { join } from 'node:path'
import type { Harness, Scope } from '../harness.js'
import { readJson } from '../json-text.js'
import type { Machine } from '../machine.js'
import { MergeFault } from '../merge-fault.js'
import { commandHooks, type HookEvent, hooksPiece, serverPiece, startedServer } from '../pieces.js'

const name = 'gemini'

/** Timeouts in milliseconds. SessionStart has no matcher: it would have to equal one source. */
const events: readonly HookEvent[] = [
  { event: 'SessionStart', hook: 'session-start', timeout: 10_000 },
  { event: 'BeforeAgent', hook: 'user-prompt-submit', timeout: 7_000 },
  { event: 'AfterAgent', hook: 'session-checkpoint-extract', timeout: 10_000 },
  { event: 'PreCompress', hook: 'pre-compaction', timeout: 10_000 },
  { event: 'SessionEnd', hook: 'session-end', timeout: 15_000 },
]

export const gemini: Harness = {
  name,
  title: 'Gemini CLI',
  aliases: ['gemini-cli'],
  binaries: ['gemini'],
  isGraphical: false,
  transports: ['command'],
  home: ({ home }) => join(home, '.gemini'),
  pieces(machine, install) {
    const file = fileOf(machine, install.scope)
    const wanted = commandHooks(events, install, () => ({ name: 'memory' }))
    return [
      hooksPiece({ file, harness: name, shape: 'grouped', wanted }),
      serverPiece({ file, section: () => ['mcpServers'], value: startedServer(install), install }),
    ]
  },
  hints: (machine, scope, read) => [
    'sessions that run already take the hooks at their next start',
    ...(isOff(read(fileOf(machine, scope)))
      ? ['settings.json switches hooks off: set hooksConfig.enabled to true']
      : []),
  ],
}

function fileOf(machine: Machine, scope: Scope): string {
  return join(scope === 'user' ? gemini.home(machine) : join(machine.folder, '.gemini'), 'settings.json')
}

/** A file that does not parse is reported where it is to be changed. */
function isOff(text: string): boolean {
  try {
    return (readJson(text).hooksConfig as { enabled?: unknown } | undefined)?.enabled === false
  } catch (error) {
    if (error instanceof MergeFault) return false
    throw error
  }
}

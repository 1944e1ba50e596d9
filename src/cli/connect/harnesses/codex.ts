import { join } from 'node:path'
import type { Harness, Install, Scope } from '../harness.js'
import { folderFrom, type Machine } from '../machine.js'
import { MergeFault } from '../merge-fault.js'
import { commandHooks, type HookEvent, hooksPiece, startedServer, tomlServerPiece } from '../pieces.js'
import { readToml } from '../toml-servers.js'

const name = 'codex'

/** Timeouts in seconds; Codex gives SessionEnd 3 at most. */
const events: readonly HookEvent[] = [
  { event: 'SessionStart', hook: 'session-start', matcher: 'startup|resume|clear|compact', timeout: 10 },
  { event: 'UserPromptSubmit', hook: 'user-prompt-submit', timeout: 7 },
  { event: 'PreToolUse', hook: 'notifications', timeout: 3 },
  { event: 'PreCompact', hook: 'pre-compaction', timeout: 10 },
  { event: 'PostCompact', hook: 'compaction-complete', timeout: 10 },
  { event: 'Stop', hook: 'session-checkpoint-extract', timeout: 10 },
  { event: 'SessionEnd', hook: 'session-end', timeout: 3 },
]

export const codex: Harness = {
  name,
  title: 'Codex CLI',
  aliases: ['codex-cli'],
  binaries: ['codex'],
  isGraphical: false,
  transports: ['command'],
  home: machine => folderFrom(machine, 'CODEX_HOME', '.codex'),
  pieces(machine, install) {
    const folder = folderOf(machine, install.scope)
    const wanted = commandHooks(events, install, ({ event }) =>
      event === 'SessionStart' ? { statusMessage: 'loading memory' } : {},
    )
    return [
      hooksPiece({ file: join(folder, 'hooks.json'), harness: name, shape: 'grouped', wanted }),
      tomlServerPiece(join(folder, 'config.toml'), serverOf(install), install),
    ]
  },
  hints: (machine, scope, read) => [
    'Codex runs a hook only once you trust it: start codex, type /hooks and approve ours; again after each change',
    'without a person (codex exec) hooks need that approval too, or --dangerously-bypass-hook-trust',
    'memory import transcripts --from codex brings in the sessions from before',
    ...(scope === 'project' ? ['Codex reads the files of a project only where it trusts the project'] : []),
    ...(isOff(read(join(folderOf(machine, scope), 'config.toml')))
      ? ['config.toml switches hooks off: set hooks = true below [features]']
      : []),
  ],
}

/** Codex starts a server with little more than HOME and PATH, and hands on what is named. */
function serverOf(install: Install): Record<string, unknown> {
  const { names } = install.variables
  return { ...startedServer(install), ...(names.length > 0 && { env_vars: names }) }
}

function folderOf(machine: Machine, scope: Scope): string {
  return scope === 'user' ? codex.home(machine) : join(machine.folder, '.codex')
}

/** A file that does not parse is reported where it is to be changed. */
function isOff(text: string): boolean {
  try {
    return (readToml(text).features as { hooks?: unknown } | undefined)?.hooks === false
  } catch (error) {
    if (error instanceof MergeFault) return false
    throw error
  }
}

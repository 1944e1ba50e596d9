import { join } from 'node:path'
import { realPath } from '../../../../lib/files/package-root.js'
import { harnessHome, userFile } from '../../../../lib/workspace/harness-files.js'
import { type IdleHooks, idleHooks, trustEdit } from '../entries/codex-trust.js'
import {
  commandHooks,
  type HookEvent,
  hooksEdit,
  serverCommand,
  tomlServerEdit,
  toolHook,
} from '../entries/connection-edits.js'
import type { Harness, Install, Obstacle, Scope } from '../entries/harness.js'
import type { Machine } from '../entries/machine.js'
import { MergeFault } from '../entries/merge-fault.js'
import { readToml } from '../entries/toml-tables.js'

const name = 'codex'

/** Timeouts in seconds; Codex limits SessionEnd to 3. */
const events: readonly HookEvent[] = [
  { event: 'SessionStart', hook: 'session-start', matcher: 'startup|resume|clear|compact|fork', timeout: 10 },
  { event: 'UserPromptSubmit', hook: 'user-prompt-submit', timeout: 7 },
  { event: 'PreToolUse', hook: 'notifications', timeout: 3 },
  { event: 'PostToolUse', hook: toolHook, timeout: 3 },
  { event: 'PreCompact', hook: 'pre-compaction', timeout: 10 },
  { event: 'PostCompact', hook: 'compaction-complete', timeout: 10 },
  { event: 'Stop', hook: 'session-checkpoint-extract', timeout: 10 },
  { event: 'SubagentStart', hook: 'subagent-start', timeout: 3 },
  { event: 'SessionEnd', hook: 'session-end', timeout: 3 },
]

export const codex: Harness = {
  name,
  title: 'Codex CLI',
  aliases: ['codex-cli'],
  binaries: ['codex'],
  isGraphical: false,
  transports: ['command'],
  home: machine => harnessHome(name, machine),
  edits(machine, install) {
    const folder = folderOf(machine, install.scope)
    const wanted = commandHooks(events, install, ({ event }) =>
      event === 'SessionStart' ? { statusMessage: 'loading memory' } : {},
    )
    return [
      hooksEdit({ file: join(folder, 'hooks.json'), harness: name, shape: 'grouped', wanted }),
      tomlServerEdit(join(folder, 'config.toml'), serverOf(install), install),
      trustEdit({
        file: userFile(name, 'mcp', machine),
        hooksFiles: hooksFiles(folder),
        wanted,
        forgetTrust: install.forgetTrust,
        readHooks: () => install.read(join(folder, 'hooks.json')),
        platform: machine.platform,
      }),
    ]
  },
  hints: (_, scope) => [
    'to import earlier sessions: memory import transcripts --from codex',
    ...(scope === 'project' ? ['Codex reads project settings only in trusted projects'] : []),
  ],
  obstacles(machine, scope, read) {
    const folder = folderOf(machine, scope)
    const config = read(userFile(name, 'mcp', machine))
    const configs = [config, ...(scope === 'project' ? [read(join(folder, 'config.toml'))] : [])]
    return [
      ...(configs.some(isOff)
        ? [{ what: 'hooks are disabled in config.toml', remedy: 'set hooks = true below [features]' }]
        : []),
      ...distrust(idleHooks(hooksFiles(folder), read(join(folder, 'hooks.json')), config, machine.platform)),
    ]
  },
}

/** Codex does not report skipped hooks, and asks about them at its next start in a terminal. */
function distrust({ all, untrusted, changed, disabled }: IdleHooks): Obstacle[] {
  const reasons = [
    ...(untrusted > 0 ? [`${untrusted} are not trusted yet`] : []),
    ...(changed > 0 ? [`${changed} have changed since you trusted them`] : []),
  ]
  const remedy =
    'start codex and choose "Trust all and continue", or type /hooks; until then they do not run, nor in codex exec ' +
    'without --dangerously-bypass-hook-trust'
  return [
    ...(reasons.length > 0 ? [{ what: `of ${all} memory hooks, ${reasons.join(' and ')}`, remedy }] : []),
    ...(disabled > 0
      ? [{ what: `${disabled} of ${all} memory hooks are disabled`, remedy: 'start codex and type /hooks' }]
      : []),
  ]
}

/** Returns the path of the hooks file with and without resolved links, since Codex may use either. */
function hooksFiles(folder: string): string[] {
  return [...new Set([folder, realPath(folder) ?? folder])].map(path => join(path, 'hooks.json'))
}

/** Codex starts a server with little more than HOME and PATH, plus the variables named here. */
function serverOf(install: Install): Record<string, unknown> {
  const { names } = install.variables
  return { ...serverCommand(install), ...(names.length > 0 && { env_vars: names }) }
}

function folderOf(machine: Machine, scope: Scope): string {
  return scope === 'user' ? codex.home(machine) : join(machine.folder, '.codex')
}

/** The edit of the file reports that it does not parse. */
function isOff(text: string): boolean {
  try {
    return (readToml(text).features as { hooks?: unknown } | undefined)?.hooks === false
  } catch (error) {
    if (error instanceof MergeFault) return false
    throw error
  }
}

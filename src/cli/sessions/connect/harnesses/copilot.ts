import { join } from 'node:path'
import { harnessHome, userFile } from '../../../../lib/workspace/harness-files.js'
import {
  type HookEvent,
  hooksEdit,
  serverCommand,
  serverEdit,
  toolHook,
  wantedEvents,
} from '../entries/connection-edits.js'
import type { Harness, Scope } from '../entries/harness.js'
import { valueIn } from '../entries/json-text.js'
import type { Machine } from '../entries/machine.js'

const name = 'copilot'
const hooksName = 'memory-service.json'

/**
 * Their switch applies to every hook of sessions that start there; the one in the user's settings has no
 * effect.
 */
const repositorySettings = [
  '.github/copilot/settings.json',
  '.github/copilot/settings.local.json',
  '.claude/settings.json',
  '.claude/settings.local.json',
] as const

/** Timeouts in seconds. preToolUse is never used, because any failure there denies the tool. */
const events: readonly HookEvent[] = [
  { event: 'sessionStart', hook: 'session-start', timeout: 10 },
  { event: 'userPromptSubmitted', hook: 'user-prompt-submit', timeout: 7 },
  { event: 'postToolUse', hook: toolHook, timeout: 3 },
  { event: 'postToolUseFailure', hook: toolHook, timeout: 3 },
  { event: 'preCompact', hook: 'pre-compaction', timeout: 10 },
  { event: 'agentStop', hook: 'session-checkpoint-extract', timeout: 10 },
  { event: 'sessionEnd', hook: 'session-end', timeout: 15 },
]

export const copilot: Harness = {
  name,
  title: 'Copilot CLI',
  aliases: ['copilot-cli', 'github-copilot'],
  binaries: ['copilot'],
  isGraphical: false,
  transports: ['command'],
  home: machine => harnessHome(name, machine),
  edits(machine, install) {
    const wanted = wantedEvents(events, install).map(({ event, hook, timeout }) => ({
      event,
      handler: { type: 'command', ...install.hookCommand(hook), timeoutSec: timeout },
    }))
    return [
      hooksEdit({
        file: hooksFile(machine, install.scope),
        harness: name,
        shape: 'flat',
        wanted,
        top: { version: 1 },
      }),
      serverEdit({
        file: serverFile(machine, install.scope),
        section: () => ['mcpServers'],
        value: { type: 'local', ...serverCommand(install), tools: ['*'] },
        install,
      }),
    ]
  },
  hints: (_, scope) => [
    'restart running sessions to activate memory',
    'to import earlier sessions: memory import transcripts --from copilot',
    ...(scope === 'project'
      ? ['Copilot CLI runs the hooks and MCP servers of a folder only after you trust it']
      : []),
  ],
  obstacles(machine, scope, read) {
    const isOff = (file: string) => valueIn(read(file), ['disableAllHooks']) === true
    const reasons = [
      ...(isOff(hooksFile(machine, scope)) ? [`hooks are disabled in ${hooksName}`] : []),
      ...(scope === 'project' ? repositorySettings : [])
        .filter(file => isOff(join(machine.folder, file)))
        .map(file => `all hooks are disabled in ${file}`),
    ]
    return reasons.map(what => ({ what, remedy: 'set disableAllHooks to false' }))
  },
}

/** Uses a separate file: Copilot CLI reads every file of the folder, and each has its own switch. */
function hooksFile(machine: Machine, scope: Scope): string {
  return scope === 'user'
    ? userFile(name, 'hooks', machine)
    : join(machine.folder, '.github', 'hooks', hooksName)
}

function serverFile(machine: Machine, scope: Scope): string {
  return scope === 'user' ? userFile(name, 'mcp', machine) : join(machine.folder, '.github', 'mcp.json')
}

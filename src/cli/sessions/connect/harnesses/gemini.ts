import { join } from 'node:path'
import { harnessHome, userFile } from '../../../../lib/workspace/harness-files.js'
import {
  commandHooks,
  type HookEvent,
  hooksEdit,
  serverCommand,
  serverEdit,
  toolHook,
} from '../entries/connection-edits.js'
import type { Harness, Install, Scope } from '../entries/harness.js'
import { valueIn } from '../entries/json-text.js'
import type { Machine } from '../entries/machine.js'
import { referringEnv } from '../entries/server-variables.js'

const name = 'gemini'

/** Timeouts in milliseconds. SessionStart has no matcher, because it could match only one source. */
const events: readonly HookEvent[] = [
  { event: 'SessionStart', hook: 'session-start', timeout: 10_000 },
  { event: 'BeforeAgent', hook: 'user-prompt-submit', timeout: 7_000 },
  { event: 'AfterTool', hook: toolHook, timeout: 3_000 },
  { event: 'AfterAgent', hook: 'session-checkpoint-extract', timeout: 10_000 },
  { event: 'SessionEnd', hook: 'session-end', timeout: 15_000 },
]

export const gemini: Harness = {
  name,
  title: 'Gemini CLI',
  aliases: ['gemini-cli'],
  binaries: ['gemini'],
  isGraphical: false,
  transports: ['command'],
  asksForTools: true,
  home: machine => harnessHome(name, machine),
  edits(machine, install) {
    const file = fileOf(machine, install.scope)
    const wanted = commandHooks(events, install, () => ({ name: 'memory' }))
    return [
      hooksEdit({ file, harness: name, shape: 'grouped', wanted }),
      serverEdit({
        file,
        section: () => ['mcpServers'],
        value: serverOf(install),
        install,
        without: install.allowTools === false ? ['trust'] : [],
      }),
    ]
  },
  hints: () => ['restart running sessions to activate memory'],
  obstacles: (machine, scope, read) =>
    valueIn(read(fileOf(machine, scope)), ['hooksConfig', 'enabled']) === false
      ? [{ what: 'hooks are disabled in settings.json', remedy: 'set hooksConfig.enabled to true' }]
      : [],
}

/**
 * Gemini CLI hides variables that look like keys from servers, and more on GitHub, but resolves references.
 */
function serverOf(install: Install): Record<string, unknown> {
  return {
    ...serverCommand(install),
    ...referringEnv(install.variables, name => `$${name}`),
    ...(install.allowTools && { trust: true }),
  }
}

function fileOf(machine: Machine, scope: Scope): string {
  return scope === 'user'
    ? userFile(name, 'hooks', machine)
    : join(machine.folder, '.gemini', 'settings.json')
}

import { join } from 'node:path'
import { harnessHome } from '../../../../lib/workspace/harness-files.js'
import {
  type HookEvent,
  hooksEdit,
  serverCommand,
  serverEdit,
  toolHook,
  wantedEvents,
} from '../entries/connection-edits.js'
import type { Harness } from '../entries/harness.js'
import { literalEnv } from '../entries/server-variables.js'

const name = 'cursor'

/** Timeouts in seconds. */
const events: readonly HookEvent[] = [
  { event: 'sessionStart', hook: 'session-start', timeout: 10 },
  { event: 'beforeSubmitPrompt', hook: 'user-prompt-submit', timeout: 7 },
  { event: 'postToolUse', hook: toolHook, timeout: 3 },
  { event: 'postToolUseFailure', hook: toolHook, timeout: 3 },
  { event: 'preCompact', hook: 'pre-compaction', timeout: 10 },
  { event: 'stop', hook: 'session-checkpoint-extract', timeout: 10 },
  { event: 'sessionEnd', hook: 'session-end', timeout: 15 },
]

export const cursor: Harness = {
  name,
  title: 'Cursor',
  aliases: ['cursor-agent'],
  binaries: ['cursor', 'cursor-agent'],
  isGraphical: true,
  transports: ['command'],
  home: machine => harnessHome(name, machine),
  edits(machine, install) {
    const folder = install.scope === 'user' ? cursor.home(machine) : join(machine.folder, '.cursor')
    const wanted = wantedEvents(events, install).map(({ event, hook, timeout }) => ({
      event,
      handler: { ...install.hookCommand(hook), timeout },
    }))
    return [
      hooksEdit({
        file: join(folder, 'hooks.json'),
        harness: name,
        shape: 'flat',
        wanted,
        top: { version: 1 },
      }),
      serverEdit({
        file: join(folder, 'mcp.json'),
        section: () => ['mcpServers'],
        value: {
          ...serverCommand(install),
          ...literalEnv(install.variables, name => `\${env:${name}}`),
        },
        install,
      }),
    ]
  },
  hints: () => ['restart Cursor to activate memory; check Hooks and MCP in its settings'],
}

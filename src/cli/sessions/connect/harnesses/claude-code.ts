import { join } from 'node:path'
import { harnessHome, userFile } from '../../../../lib/workspace/harness-files.js'
import { workspaceHeader } from '../../../../lib/workspace/peer-headers.js'
import {
  commandHooks,
  type HookEvent,
  hooksEdit,
  serverCommand,
  serverEdit,
  toolHook,
  wantedEvents,
} from '../entries/connection-edits.js'
import type { Harness, Install, Scope } from '../entries/harness.js'
import type { WantedHook } from '../entries/hook-entries.js'
import { valueIn } from '../entries/json-text.js'
import type { Machine } from '../entries/machine.js'
import { hookPath } from '../entries/own-entries.js'
import { permissionEdit } from '../entries/permission-edit.js'

const name = 'claude-code'

/** Timeouts in seconds. The one of SessionEnd also raises the common limit of 1.5 s for all its hooks. */
const events: readonly HookEvent[] = [
  { event: 'SessionStart', hook: 'session-start', matcher: 'startup|resume|clear|compact|fork', timeout: 10 },
  { event: 'UserPromptSubmit', hook: 'user-prompt-submit', timeout: 7 },
  { event: 'PreToolUse', hook: 'notifications', matcher: '*', timeout: 3 },
  { event: 'PostToolUse', hook: toolHook, matcher: '*', timeout: 3 },
  { event: 'PostToolUseFailure', hook: toolHook, matcher: '*', timeout: 3 },
  { event: 'PreCompact', hook: 'pre-compaction', matcher: 'manual|auto', timeout: 10 },
  { event: 'PostCompact', hook: 'compaction-complete', timeout: 10 },
  { event: 'Stop', hook: 'session-checkpoint-extract', timeout: 10 },
  { event: 'SubagentStart', hook: 'subagent-start', timeout: 3 },
  { event: 'SessionEnd', hook: 'session-end', timeout: 15 },
]

export const claudeCode: Harness = {
  name,
  title: 'Claude Code',
  aliases: ['claude'],
  binaries: ['claude'],
  isGraphical: false,
  transports: ['command', 'http'],
  asksForTools: true,
  home: machine => harnessHome(name, machine),
  edits(machine, install) {
    const hooks = hooksEdit({
      file: settingsFile(machine, install),
      harness: name,
      shape: 'grouped',
      wanted: wantedHooks(install),
    })
    const server = serverEdit({
      file: serverFile(machine, install),
      section: () => ['mcpServers'],
      value: install.transport === 'http' ? httpServer(install) : serverCommand(install),
      install,
    })
    const permission = permissionEdit({
      file: settingsFile(machine, install),
      path: ['permissions', 'allow'],
      server: { file: serverFile(machine, install), section: ['mcpServers'] },
      rule: name => `mcp__${name}`,
      install,
    })
    return [hooks, server, permission]
  },
  hints: (_, scope) => [
    'restart running sessions to activate memory',
    'to import earlier sessions: memory import transcripts --from claude-code',
    ...(scope === 'project'
      ? ['Claude Code asks once for permission to run the MCP server of this project']
      : []),
  ],
  obstacles: (machine, scope, read) =>
    valueIn(read(settingsFile(machine, { scope })), ['disableAllHooks']) === true
      ? [{ what: 'hooks are disabled in settings.json', remedy: 'set disableAllHooks to false' }]
      : [],
}

function settingsFile(machine: Machine, { scope }: Pick<Install, 'scope'>): string {
  return scope === 'user'
    ? userFile(name, 'hooks', machine)
    : join(machine.folder, '.claude', 'settings.json')
}

function serverFile(machine: Machine, { scope }: Pick<Install, 'scope'>): string {
  if (scope === 'project') return join(machine.folder, '.mcp.json')
  return userFile(name, 'mcp', machine)
}

function wantedHooks(install: Install): WantedHook[] {
  if (install.transport === 'command') return commandHooks(commandEvents(install.scope), install)
  const wanted = wantedEvents(events, install)
  return commandHooks(wanted, install).map((command, position) => {
    const { event, hook, timeout } = wanted[position]!
    // The first cannot use HTTP, and also starts the daemon that others call; the second asks no daemon.
    if (event === 'SessionStart' || hook === toolHook) return command
    const url = `${install.origin}${hookPath(name, hook)}`
    return { ...command, handler: { type: 'http', url, ...hookHeaders(install), timeout } }
  })
}

/**
 * Copilot CLI also runs the hooks of a repository, and denies every tool if its pre-tool hook fails, for
 * example because a colleague lacks our program. No command fails open in every shell, so a project has none.
 */
function commandEvents(scope: Scope): readonly HookEvent[] {
  return scope === 'project' ? events.filter(({ event }) => event !== 'PreToolUse') : events
}

function httpServer(install: Install): Record<string, unknown> {
  const headers = headersOf(install, `Bearer \${${keyVariable}}`)
  return { type: 'http', url: `${install.origin}/mcp`, ...(headers && { headers }) }
}

const keyVariable = 'SERVICE_API_KEY'

/** Claude Code expands variables in headers only if they are allowed by name. */
function hookHeaders(install: Install): Record<string, unknown> {
  const headers = headersOf(install, `Bearer $${keyVariable}`)
  return { ...(headers && { headers }), ...(install.needsKey && { allowedEnvVars: [keyVariable] }) }
}

/** Names the workspace, because another user's daemon may have the port by then; it refuses the request. */
function headersOf(
  { needsKey, workspaceName }: Install,
  authorization: string,
): Record<string, string> | undefined {
  const headers = {
    ...(workspaceName && { [workspaceHeader]: workspaceName() }),
    ...(needsKey && { Authorization: authorization }),
  }
  return Object.keys(headers).length > 0 ? headers : undefined
}

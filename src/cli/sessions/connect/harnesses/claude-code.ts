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
import type { ConnectionEdit, Harness, Install, Scope } from '../entries/harness.js'
import type { WantedHook } from '../entries/hook-entries.js'
import { appendTo, removeAt } from '../entries/json-edit.js'
import { behindMark, type JsonPath, valueIn } from '../entries/json-text.js'
import type { Machine } from '../entries/machine.js'
import { listOf, nameOfServer, serverNames } from '../entries/mcp-entries.js'
import { MergeFault } from '../entries/merge-fault.js'
import { hookPath, isOwnServer } from '../entries/own-entries.js'

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

interface PermissionOptions {
  file: string
  /** Path of the list of rules. */
  path: readonly string[]
  /** Location of our server's entry, whose name the rule contains. */
  server: { file: string; section: readonly string[] }
  rule: (serverName: string) => string
  install: Pick<Install, 'allowTools' | 'read' | 'ownOrigins'>
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

/** Edits the rule that lets a harness call our tools without asking, in a list of rules in a JSON file. */
function permissionEdit({ file, path, server, rule, install }: PermissionOptions): ConnectionEdit {
  const { name, isThere } = ownName(server, install)
  const wanted = rule(name)
  return {
    kind: 'permission',
    file,
    add: text =>
      behindMark(text, plain => {
        if (install.allowTools === undefined) return plain
        if (!install.allowTools) return withoutRule(plain, path, wanted)
        return rulesIn(plain, path).includes(wanted) ? plain : appendTo(plain, path, wanted)
      }),
    // Without an entry of our server, the rule belongs to another one.
    remove: (text, original) =>
      isThere || install.allowTools
        ? behindMark(text, plain => withoutRule(plain, path, wanted, original))
        : text,
  }
}

function ownName(
  { file, section }: PermissionOptions['server'],
  { read, ownOrigins }: PermissionOptions['install'],
): { name: string; isThere: boolean } {
  const servers = valueIn(read(file), section)
  try {
    const { name, found } = nameOfServer((servers ?? {}) as Record<string, unknown>, one =>
      isOwnServer(one, ownOrigins),
    )
    return { name, isThere: found !== undefined }
  } catch (error) {
    // The edit that adds the server reports this fault for the right file.
    if (error instanceof MergeFault) return { name: serverNames[0], isThere: false }
    throw error
  }
}

/**
 * Removes a rule with the lists and objects that become empty, unless `original` had them. A rule in
 * `original` is kept.
 */
function withoutRule(text: string, path: readonly string[], rule: string, original?: string): string {
  const position = rulesIn(text, path).indexOf(rule)
  if (position < 0 || (original !== undefined && rulesIn(original, path).includes(rule))) return text
  const steps = path.map((_, index) => path.slice(0, path.length - index))
  return steps.reduce(
    (current, step) =>
      isEmptyAt(current, step) && !isThere(original, step) ? removeAt(current, step) : current,
    removeAt(text, [...path, position]),
  )
}

function rulesIn(text: string, path: JsonPath): unknown[] {
  return listOf(valueIn(text, path))
}

function isEmptyAt(text: string, path: JsonPath): boolean {
  const value = valueIn(text, path)
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function isThere(original: string | undefined, path: JsonPath): boolean {
  return original !== undefined && valueIn(original, path) !== undefined
}

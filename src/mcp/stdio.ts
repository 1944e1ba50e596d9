import { isAbsolute } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { RootsListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { call as callDaemon } from '../client/call.js'
import { deferred } from '../lib/concurrency/deferred.js'
import { isConnected } from '../lib/workspace/own-connection.js'
import { workspacePaths } from '../lib/workspace/paths.js'
import { isAlive } from '../lib/workspace/registration.js'
import {
  folderHeader,
  meaningfulFolder,
  projectHeader,
  workingFolder,
} from '../lib/workspace/working-folder.js'
import { daemonHeaders, toolTimeoutMs } from './call-over.js'
import { LineTransport } from './line-transport.js'
import { stdioTools } from './offered-tools.js'
import { createServer, type ServerOptions } from './server.js'
import type { Call } from './tool/tool.js'
import type { ToolSet } from './tool-set.js'

export interface StdioOptions extends Pick<ServerOptions, 'resources' | 'prompts'> {
  /** Default: the setting `mcp.tools`. */
  tools?: ToolSet
  workspace?: string
  agent?: string
  /** The harness whose plug-in of ours starts this server, beside another one if that is connected. */
  plugin?: string
}

const parentPollMs = 250
/**
 * Time for the replies to running calls after the client has closed its end; the process exits within 500 ms.
 */
const lastWordsMs = 250

/** Environment variables, which may be deleted. */
type Environment = Record<string, string | undefined>

type CallerHeadersEnvironment = Readonly<Record<string, string | undefined>>

/** Patterns of the names that programs give as MCP clients, with the names that their hooks have. */
const harnesses: ReadonlyArray<readonly [RegExp, string]> = [
  [/^claude-code/u, 'claude-code'],
  [/^codex/u, 'codex'],
  [/^gemini/u, 'gemini'],
  [/^cursor/u, 'cursor'],
  [/copilot/u, 'copilot'],
  [/^opencode/u, 'opencode'],
  [/^kimi/u, 'kimi'],
  [/^qwen/u, 'qwen'],
  [/^visual studio code/iu, 'vscode'],
]

/** Variables in which a program gives its servers the key of the session; the others give none. */
const sessionVariables: Readonly<Record<string, string>> = {
  'claude-code': 'CLAUDE_CODE_SESSION_ID',
  copilot: 'COPILOT_AGENT_SESSION_ID',
}

const rootsTimeoutMs = 2000
const maxName = 100

/**
 * Serves MCP on stdin and stdout until the client is gone: end of stdin, SIGTERM, SIGINT, SIGHUP, or the
 * death of the parent process (mcp.md 4.9). The daemon is started in the background once a client has
 * initialized; tools wait for it.
 */
export async function serveStdio({
  workspace,
  agent,
  plugin,
  tools,
  ...options
}: StdioOptions): Promise<void> {
  const pending = new Set<Promise<unknown>>()
  // Clients start servers in folders that are removed later, such as a worktree.
  const folder = ownFolder(process.env)
  const reach: Call = async (address, request) =>
    callDaemon(address, request, {
      workspace,
      agent,
      headers: { ...daemonHeaders, ...(await ofCaller()) },
      timeoutMs: toolTimeoutMs,
    })
  const call: Call = (address, request) => {
    const reply = reach(address, request)
    const settled = reply.catch(() => undefined).finally(() => pending.delete(settled))
    pending.add(settled)
    return reply
  }
  const isSecond =
    plugin !== undefined &&
    isConnected(workspacePaths(workspace), plugin, process.env.CLAUDE_PROJECT_DIR ?? folder, {
      needsServer: true,
    })
  const server = createServer({
    ...(isSecond ? { isSilent: true } : { ...options, apps: 'announced' }),
    call,
    tools: tools ?? 'standard',
    list: () => (isSecond ? [] : stdioTools({ tools, workspace, agent, headers: daemonHeaders })),
  })
  const ofCaller = callerHeaders(server, process.env, async key =>
    callDaemon(
      'GET /api/sessions/:key',
      { params: { key } },
      { workspace, agent, headers: daemonHeaders },
    ).then(
      ({ project }) => project ?? undefined,
      () => undefined,
    ),
  )
  server.oninitialized = () => void logDaemonAddress(reach, workspace)
  const gone = clientGone()
  await server.connect(new LineTransport(process.stdin, process.stdout))
  server.onclose = gone.now
  await gone.promise
  await Promise.race([Promise.allSettled([...pending]).then(flushed), sleep(lastWordsMs)])
}

/** Writes the address of the daemon and its origin to stderr, which clients keep as the server's log. */
async function logDaemonAddress(reach: Call, workspace: string | undefined): Promise<void> {
  const chosen = workspaceChoice(process.env, workspace)
  const line = await reach('GET /health').then(
    ({ workspace, port, pid, version }) =>
      `workspace ${workspace} (${chosen}), daemon on port ${port}, pid ${pid}, version ${version}`,
    // The first tool call reports how to fix it.
    (error: Error) => `no daemon: ${error.message}`,
  )
  process.stderr.write(`service-mcp: ${line}\n`)
}

/** Resolves when the client is gone. */
function clientGone(): { promise: Promise<void>; now: () => void } {
  const { promise, resolve: now } = deferred<void>()
  process.stdin.once('end', now).once('close', now)
  process.stdout.once('error', now)
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, now)
  // After the parent's death another process may still have the pipe open.
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid !== parent || !isAlive(parent)) now()
  }, parentPollMs)
  watch.unref()
  return { promise, now }
}

/** Waits until the last replies have left this process. */
async function flushed(): Promise<void> {
  await new Promise(setImmediate)
  await new Promise(resolve => process.stdout.write('', resolve))
}

/**
 * Deletes our variables whose value is empty or an unresolved reference: for a variable that is not set,
 * clients pass '', $NAME, ${NAME}, ${env:NAME} or {env:NAME}.
 */
export function deleteUnresolved(env: Environment): void {
  for (const name of Object.keys(env)) {
    const isOurs = name.startsWith('SERVICE_')
    if (isOurs && (env[name] === '' || isReference(env[name] ?? '', name))) delete env[name]
  }
}

function isReference(value: string, name: string): boolean {
  return value === `$${name}` || /^\$?\{(?:env:)?([A-Z_]+)(?::-[^}]*)?\}$/u.exec(value)?.[1] === name
}

/** Describes the origin of the workspace's path, for users who expected another one. */
export function workspaceChoice(
  { SERVICE_DAEMON_URL, SERVICE_WORKSPACE }: Environment,
  flag: string | undefined,
): string {
  if (SERVICE_DAEMON_URL) return 'of the daemon in SERVICE_DAEMON_URL'
  if (flag) return 'from --workspace'
  return SERVICE_WORKSPACE ? 'from SERVICE_WORKSPACE' : 'the default: SERVICE_WORKSPACE is not set'
}

/**
 * Returns a function for the headers that describe the caller of a stdio server: its folder, the project, the
 * program and, if the program passes it, the session (mcp.md#who-saves-and-where).
 * @param projectOf returns the project of a live session, for servers of plug-ins. Copilot CLI starts those
 * in the folder of the plug-in.
 */
export function callerHeaders(
  server: Server,
  env: CallerHeadersEnvironment,
  projectOf: (session: string) => Promise<string | undefined>,
): () => Promise<Record<string, string>> {
  let roots: Promise<string | undefined> | undefined
  server.setNotificationHandler(RootsListChangedNotificationSchema, () => {
    roots = undefined
  })
  const folder = async () => {
    const given = env.CLAUDE_PROJECT_DIR
    if (given && isAbsolute(given)) return given
    roots ??= firstRoot(server)
    return (await roots) ?? ownFolder(env)
  }
  return async () => {
    const harness = harnessOf(server.getClientVersion()?.name)
    const session = harness && env[sessionVariables[harness] ?? '']
    const works = await folder()
    const place = meaningfulFolder(works) ?? (session && (await projectOf(session)))
    return {
      ...folderHeader(works),
      ...projectHeader(place || undefined),
      ...(harness && { 'x-service-harness': harness }),
      ...(session && { 'x-service-session-key': session }),
    }
  }
}

/** Returns the working folder; undefined if it is that of a plug-in, which says nothing about the work. */
function ownFolder({ COPILOT_PLUGIN_ROOT: ofPlugin }: CallerHeadersEnvironment): string | undefined {
  const folder = workingFolder()
  return folder === ofPlugin ? undefined : folder
}

/** Returns the name of a program as its hooks give it, or the name of the client; undefined for none. */
export function harnessOf(client: string | undefined): string | undefined {
  // Headers contain printable ASCII only.
  const name = client
    ?.replace(/[^\x20-\x7e]/gu, '')
    .trim()
    .slice(0, maxName)
  return name ? (harnesses.find(([pattern]) => pattern.test(name))?.[1] ?? name) : undefined
}

/** Returns the client's first folder; undefined when it has none, does not support roots or is slow. */
async function firstRoot(server: Server): Promise<string | undefined> {
  if (!server.getClientCapabilities()?.roots) return undefined
  try {
    const { roots } = await server.listRoots(undefined, { timeout: rootsTimeoutMs })
    const root = roots.find(({ uri }) => uri.startsWith('file:'))
    return root && fileURLToPath(root.uri)
  } catch {
    return undefined
  }
}

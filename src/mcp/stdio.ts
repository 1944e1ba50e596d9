import { setTimeout as sleep } from 'node:timers/promises'
import { call as callDaemon } from '../client/call.js'
import { deferred } from '../lib/concurrency/deferred.js'
import { isConnected } from '../lib/workspace/own-connection.js'
import { workspacePaths } from '../lib/workspace/paths.js'
import { isAlive } from '../lib/workspace/registration.js'
import { daemonHeaders, toolTimeoutMs } from './call-over.js'
import { callerHeaders, ownFolder } from './caller-headers.js'
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

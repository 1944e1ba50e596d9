import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { call as callDaemon } from '../client/call.js'
import { disabledAtFirst } from '../contract/ground/plugin-capabilities.js'
import type { PluginRegistryFile } from '../contract/platform/plugins.js'
import { deferred } from '../lib/concurrency/deferred.js'
import { workspacePaths } from '../lib/workspace/paths.js'
import { isAlive } from '../lib/workspace/registration.js'
import { daemonHeaders, toolTimeoutMs } from './call-over.js'
import { workspaceChoice } from './environment.js'
import { LineTransport } from './line-transport.js'
import type { Offers } from './listed-tool.js'
import { createServer, type ServerOptions } from './server.js'
import type { Call } from './tool/tool.js'

export interface StdioOptions extends Omit<ServerOptions, 'call' | 'offers'> {
  workspace?: string
  agent?: string
}

const parentPollMs = 250
/** Calls in hand may still answer after the client has closed its end; the process is gone within 500 ms. */
const lastWordsMs = 250

/**
 * Serves MCP on stdin and stdout until the client goes: end of stdin, SIGTERM, SIGINT, SIGHUP, or the parent's death
 * (mcp.md 4.9). The daemon is started in the background once a client has introduced itself; tools wait for it.
 */
export async function serveStdio({ workspace, agent, ...options }: StdioOptions): Promise<void> {
  const pending = new Set<Promise<unknown>>()
  const headers = { ...daemonHeaders, 'x-service-cwd': encodeURI(process.cwd()) }
  const reach: Call = (address, request) =>
    callDaemon(address, request, { workspace, agent, headers, timeoutMs: toolTimeoutMs })
  const call: Call = (address, request) => {
    const reply = reach(address, request)
    const settled = reply.catch(() => undefined).finally(() => pending.delete(settled))
    pending.add(settled)
    return reply
  }
  const server = createServer({ ...options, call, offers: offersOf(workspace) })
  server.oninitialized = () => void tellDaemon(reach, workspace)
  const gone = clientGone()
  await server.connect(new LineTransport(process.stdin, process.stdout))
  server.onclose = gone.now
  await gone.promise
  await Promise.race([Promise.allSettled([...pending]).then(flushed), sleep(lastWordsMs)])
}

/** Clients keep what a server writes to stderr as its log: there it says whom it asks, and why. */
async function tellDaemon(reach: Call, workspace: string | undefined): Promise<void> {
  const chosen = workspaceChoice(process.env, workspace)
  const line = await reach('GET /health').then(
    ({ workspace, port, pid, version }) =>
      `workspace ${workspace} (${chosen}), daemon on port ${port}, pid ${pid}, version ${version}`,
    // The first tool call tells what to do about it.
    (error: Error) => `no daemon: ${error.message}`,
  )
  process.stderr.write(`service-mcp: ${line}\n`)
}

/** Resolves when nobody is left to talk to. */
function clientGone(): { promise: Promise<void>; now: () => void } {
  const { promise, resolve: now } = deferred<void>()
  process.stdin.once('end', now).once('close', now)
  process.stdout.once('error', now)
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, now)
  // Somebody else may hold the pipe open after the parent died.
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid !== parent || !isAlive(parent)) now()
  }, parentPollMs)
  watch.unref()
  return { promise, now }
}

/** After the replies that were just made have left this process. */
async function flushed(): Promise<void> {
  await new Promise(setImmediate)
  await new Promise(resolve => process.stdout.write('', resolve))
}

/**
 * Which plugins' tools a server of its own offers: by the registry in the workspace, so that a list of tools waits for
 * no daemon. Where that is not on this machine, or can't be read, all are offered and the daemon refuses.
 */
export function offersOf(workspace: string | undefined): Offers {
  if (process.env.SERVICE_DAEMON_URL) return () => true
  const { pluginRegistry } = workspacePaths(workspace)
  return id => {
    const registry = read(pluginRegistry)
    if (registry === undefined) return true
    const entry = registry?.plugins[id]
    if (!entry) return !disabledAtFirst.includes(id)
    const isOn = entry.told.state === 'active' || entry.told.state === 'degraded'
    return isOn && entry.grantedCapabilities.includes('mcp:tools')
  }
}

/** Null while there is none, undefined for one that can't be understood. */
function read(file: string): PluginRegistryFile | null | undefined {
  try {
    const registry = JSON.parse(readFileSync(file, 'utf8')) as PluginRegistryFile
    return registry.version === 1 ? registry : undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : undefined
  }
}

import { readFileSync } from 'node:fs'
import { locate } from '../client/daemon/locate.js'
import { headersOf } from '../client/http/call-options.js'
import { exchange } from '../client/http/node-exchange.js'
import { disabledAtFirst } from '../contract/ground/plugin-capabilities.js'
import type { PluginRegistryFile } from '../contract/platform/plugins.js'
import { isRecord, jsonOf } from '../lib/text/json-of.js'
import { workspacePaths } from '../lib/workspace/paths.js'
import { type ListedTool, listedTools, type Offers, offeredTools } from './listed-tool.js'
import type { ToolSet } from './tool-set.js'

/** Time in which a remote daemon has to list its tools, because clients wait only a few seconds for them. */
const remoteListMs = 2000

export interface ListOptions {
  /** Set that the client's command names; the setting `mcp.tools` decides without it. */
  tools: ToolSet | undefined
  workspace: string | undefined
  /** Headers of a request to a remote daemon. */
  headers: Record<string, string>
  agent: string | undefined
}

/**
 * Returns the tools that a stdio server lists: the chosen set without the tools of disabled plugins. The
 * files of the workspace answer, so that the list does not wait for a daemon; only the daemon of
 * SERVICE_DAEMON_URL is asked. If it does not answer in time, the list is that of a first start (mcp.md 4.9).
 */
export async function stdioTools(options: ListOptions): Promise<readonly ListedTool[]> {
  const { tools, workspace } = options
  if (!process.env.SERVICE_DAEMON_URL)
    return offeredTools(listedTools(tools ?? (await setOfWorkspace(workspace))), offersOf(workspace))
  const names = await remoteNames(options).catch(() => undefined)
  if (names) return listedTools('all').filter(({ name }) => names.has(name))
  return offeredTools(listedTools(tools ?? 'standard'), isOnAtFirst)
}

/** Returns the setting `mcp.tools`; a faulty agent.yaml is the daemon's to report. */
async function setOfWorkspace(workspace: string | undefined): Promise<ToolSet> {
  const { settings: file } = workspacePaths(workspace)
  // Without a file the schemas need not load.
  if (textOf(file) === undefined) return 'standard'
  const [{ settings }, { loadSettings }] = await Promise.all([
    import('../contract/settings.js'),
    import('../lib/workspace/settings-file.js'),
  ])
  return loadSettings(file, settings).settings.mcp.tools
}

async function remoteNames({
  tools,
  workspace,
  headers,
  agent,
}: ListOptions): Promise<Set<string> | undefined> {
  const location = locate(workspace)
  if (location.kind !== 'remote') return undefined
  // The reply is a stream of events, which the plain exchange cannot read.
  const { status, text } = await exchange(location.origin, {
    method: 'POST',
    path: `/mcp${tools ? `?tools=${tools}` : ''}`,
    headers: {
      ...headersOf({ headers, ...(agent && { agent }) }),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    timeoutMs: remoteListMs,
  })
  if (status !== 200) return undefined
  // The reply is JSON, or one event with the same JSON.
  const message = jsonOf(/^data: (.*)$/mu.exec(text)?.[1] ?? text)
  const result = isRecord(message) && isRecord(message.result) ? message.result : undefined
  if (!Array.isArray(result?.tools)) return undefined
  return new Set(result.tools.map(tool => (isRecord(tool) ? String(tool.name) : '')))
}

/**
 * Returns a filter for plugins by the registry in the workspace. If it is unreadable, all are offered and the
 * daemon rejects calls.
 */
export function offersOf(workspace: string | undefined): Offers {
  const text = textOf(workspacePaths(workspace).pluginRegistry)
  if (text === undefined) return isOnAtFirst
  const registry = jsonOf(text) as PluginRegistryFile | undefined
  if (registry?.version !== 1) return () => true
  return id => {
    const entry = registry.plugins[id]
    if (!entry) return isOnAtFirst(id)
    const isOn = entry.told.state === 'active' || entry.told.state === 'degraded'
    return isOn && entry.grantedCapabilities.includes('mcp:tools')
  }
}

const isOnAtFirst: Offers = id => !disabledAtFirst.includes(id)

/** Returns undefined for a missing file, '' for an unreadable one. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : ''
  }
}

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { pino } from 'pino'
import { createPlugins, type Plugins } from '../../src/daemon/platform/plugins/plugins.js'
import { type WorkspacePaths, workspacePaths } from '../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from './daemon.js'

interface PluginsOptions {
  workspace?: string
  version?: string
  clock?: () => Date
  isMet?: () => Promise<boolean>
  checks?: Record<string, () => Promise<string | undefined>>
}

/** Opens plugins like a daemon, in a test workspace, after one discovery. */
export async function openPlugins(
  t: ExecutionContext,
  options: PluginsOptions = {},
): Promise<{ plugins: Plugins; paths: WorkspacePaths }> {
  const { workspace = temporaryWorkspace(t), version = '1.0.0', clock = () => new Date() } = options
  const { isMet = async () => true, checks = {} } = options
  const paths = workspacePaths(workspace)
  let lastId = 0
  const newId = () => `event-${clock().getTime()}-${lastId++}-${Math.random()}`
  const plugins = createPlugins({
    paths,
    version,
    clock,
    newId,
    log: pino({ level: 'silent' }),
    isMet,
    checks,
  })
  t.teardown(() => plugins.close())
  await plugins.refresh()
  return { plugins, paths }
}

/** Adds a plugin manifest to a workspace: a valid one, with the given fields replaced. */
export function addPlugin(paths: Pick<WorkspacePaths, 'plugins'>, id: string, fields: object = {}): void {
  const folder = join(paths.plugins, id)
  mkdirSync(folder, { recursive: true })
  const manifest = { manifestVersion: 1, id, name: id, version: '1.0.0', capabilities: [], ...fields }
  writeFileSync(join(folder, 'plugin.json'), JSON.stringify(manifest))
}

/** A contribution that is sent to sessions by default. */
export function contribution(id: string, fields: object = {}): object {
  const content = `Notes of ${id} are kept in the folder notes.`
  return { id, target: 'session-start', mode: 'append', priority: 0, maxTokens: 100, content, ...fields }
}

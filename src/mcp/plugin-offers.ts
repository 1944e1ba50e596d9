import { readFileSync } from 'node:fs'
import { disabledAtFirst } from '../contract/ground/plugin-capabilities.js'
import type { PluginRegistryFile } from '../contract/platform/plugins.js'
import { workspacePaths } from '../lib/workspace/paths.js'
import type { Offers } from './listed-tool.js'

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

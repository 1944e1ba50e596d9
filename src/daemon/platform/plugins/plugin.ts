import type { PluginManifest, PluginState, RegistryEntry } from '../../../contract/platform/plugins.js'

/** What a plugin says of itself. */
export interface Described {
  id: string
  /** Came with the daemon: only then it has code. */
  bundled: boolean
  /** Undefined where what it says can't be understood. */
  manifest: PluginManifest | undefined
  /** What is wrong with its manifest, a sentence each. */
  problems: readonly string[]
}

/** A plugin as the daemon knows it: what it says of itself, what was decided on it, and how it is. */
export interface Plugin extends Described {
  entry: RegistryEntry
  /** Why it does not work as it should; undefined while it does. */
  unhealthy: string | undefined
}

/** What plugins that did not come with the daemon may be granted: without code of ours there is nothing else to do. */
const grantableToOthers: readonly string[] = ['prompt:contribute']

/** Which of the four it is (plugins.md 3): a fault comes before a decision, and a decision before its health. */
export function stateOf({ problems, entry, unhealthy }: Plugin): PluginState {
  if (problems.length > 0 || entry.blockedBecause !== undefined) return 'blocked'
  if (!entry.enabled) return 'disabled'
  return unhealthy === undefined ? 'active' : 'degraded'
}

/** Why it is blocked or degraded; undefined otherwise. */
export function reasonOf(plugin: Plugin): string | undefined {
  const state = stateOf(plugin)
  if (state === 'degraded') return plugin.unhealthy
  return state === 'blocked' ? (plugin.entry.blockedBecause ?? plugin.problems.join('; ')) : undefined
}

export function isRunning(plugin: Plugin): boolean {
  const state = stateOf(plugin)
  return state === 'active' || state === 'degraded'
}

export function isGrantable({ bundled }: Pick<Plugin, 'bundled'>, capability: string): boolean {
  return bundled || grantableToOthers.includes(capability)
}

/** What was granted of what it declares; a grant of something that it no longer declares is void. */
export function grantedTo(plugin: Plugin): string[] {
  const { entry } = plugin
  return declaredBy(plugin).filter(
    capability => entry.grantedCapabilities.includes(capability) && isGrantable(plugin, capability),
  )
}

/** What it declares and waits for: a later version may declare more than it was granted. */
export function pendingOf(plugin: Plugin): string[] {
  const granted = grantedTo(plugin)
  return declaredBy(plugin).filter(capability => !granted.includes(capability))
}

export function declaredBy({ manifest }: Pick<Plugin, 'manifest'>): string[] {
  return [...new Set(manifest?.capabilities ?? [])]
}

/** Declared, granted, and not switched off. */
export function mayUse(plugin: Plugin, capability: string): boolean {
  return isRunning(plugin) && grantedTo(plugin).includes(capability)
}

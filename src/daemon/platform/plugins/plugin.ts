import { type BundledPlugin, bundledCapabilities } from '../../../contract/ground/plugin-capabilities.js'
import type { PluginManifest, PluginState, RegistryEntry } from '../../../contract/platform/plugins.js'

/** A plugin as its manifest describes it. */
export interface DescribedPlugin {
  id: string
  /** Part of the daemon: only bundled plugins have code. */
  bundled: boolean
  /** Undefined when the manifest is invalid. */
  manifest: PluginManifest | undefined
  /** Faults of its manifest, one sentence each. */
  problems: readonly string[]
}

/** A plugin with its manifest, the decisions about it, and its health. */
export interface Plugin extends DescribedPlugin {
  entry: RegistryEntry
  /** Why it does not work properly; undefined while it does. */
  unhealthy: string | undefined
}

/** Capabilities that plugins without bundled code may be granted; nothing else works without code. */
const grantableToOthers: readonly string[] = ['prompt:contribute']

export interface BundledPluginInfo extends DescribedPlugin {
  manifest: PluginManifest
}

const secretsPrompt = {
  id: 'secrets.by-name',
  target: 'session-start',
  mode: 'append',
  priority: 100,
  maxTokens: 150,
  when: 'secret_stored',
  content: `## Secrets

Credentials are stored by name on this machine, and you only work with the names. The tool secret_list lists the names. The tool secret_exec runs a command with secrets in its environment; their values are replaced in its output. Do not ask the user for a value: when a name is missing, tell the user to add it with \`memory secrets set NAME\`.`,
} as const

/** The plugins whose code is part of the daemon; their version is the daemon's (plugins.md 1). */
export function bundledPlugins(version: string): readonly BundledPluginInfo[] {
  // Complete as after parsing with the manifest schema, which a test verifies.
  const bundled = (
    id: BundledPlugin,
    { commands, ...rest }: PluginTexts & { commands: readonly string[] },
  ): BundledPluginInfo => {
    const capabilities = [...bundledCapabilities[id]]
    const cliCommands = commands.map(name => ({ name, capability: 'cli:commands' as const }))
    const surfaces = { ...noSurfaces(), cliCommands }
    const manifest: PluginManifest = { manifestVersion: 1, id, version, ...rest, capabilities, surfaces }
    return { id, bundled: true, manifest, problems: [] }
  }
  return [
    bundled('service.secrets', {
      name: 'Secrets',
      description: 'Stores secrets by name and runs commands with them; values are never shown.',
      commands: ['memory secrets'],
      promptContributions: [secretsPrompt],
    }),
    bundled('service.codeindex', {
      name: 'Code index',
      description: 'Finds symbols of a project, their references, and what a change affects.',
      commands: ['memory code'],
      promptContributions: [],
    }),
  ]
}

type PluginTexts = Pick<PluginManifest, 'name' | 'description' | 'promptContributions'>

function noSurfaces(): PluginManifest['surfaces'] {
  return {
    daemonRoutes: [],
    cliCommands: [],
    mcpTools: [],
    dashboardPanels: [],
    sdkClients: [],
    connectorCapabilities: [],
  }
}

/** The plugin's state (plugins.md 3): faults come before decisions, decisions before health. */
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

/** Granted capabilities that it still declares. */
export function grantedTo(plugin: Plugin): string[] {
  const { entry } = plugin
  return declaredBy(plugin).filter(
    capability => entry.grantedCapabilities.includes(capability) && isGrantable(plugin, capability),
  )
}

/** Declared but ungranted capabilities: a later version may declare more than it was granted. */
export function pendingOf(plugin: Plugin): string[] {
  const granted = grantedTo(plugin)
  return declaredBy(plugin).filter(capability => !granted.includes(capability))
}

export function declaredBy({ manifest }: Pick<Plugin, 'manifest'>): string[] {
  return [...new Set(manifest?.capabilities ?? [])]
}

/** True when the capability is declared and granted, and the plugin is running. */
export function mayUse(plugin: Plugin, capability: string): boolean {
  return isRunning(plugin) && grantedTo(plugin).includes(capability)
}

import { type BundledPlugin, bundledCapabilities } from '../../../contract/ground/plugin-capabilities.js'
import type { PluginManifest } from '../../../contract/platform/plugins.js'
import type { DescribedPlugin } from './plugin.js'

export interface BundledPluginInfo extends DescribedPlugin {
  manifest: PluginManifest
}

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

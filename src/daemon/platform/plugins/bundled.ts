import { type BundledPlugin, bundledCapabilities } from '../../../contract/ground/plugin-capabilities.js'
import type { PluginManifest } from '../../../contract/platform/plugins.js'
import type { Described } from './plugin.js'

export interface Bundled extends Described {
  manifest: PluginManifest
}

/** The plugins whose code comes with the daemon; their version is the daemon's own (plugins.md 1). */
export function bundledPlugins(version: string): readonly Bundled[] {
  // Whole, as the schema of manifests would leave it; a test holds it to that.
  const bundled = (
    id: BundledPlugin,
    { commands, ...rest }: Told & { commands: readonly string[] },
  ): Bundled => {
    const capabilities = [...bundledCapabilities[id]]
    const cliCommands = commands.map(name => ({ name, capability: 'cli:commands' as const }))
    const surfaces = { ...noSurfaces(), cliCommands }
    const manifest: PluginManifest = { manifestVersion: 1, id, version, ...rest, capabilities, surfaces }
    return { id, bundled: true, manifest, problems: [] }
  }
  return [
    bundled('service.secrets', {
      name: 'Secrets',
      description: 'Keeps secrets by name and runs commands with them; their values are never shown.',
      commands: ['memory secrets'],
      promptContributions: [secretsPrompt],
    }),
    bundled('service.codeindex', {
      name: 'Code index',
      description: 'Finds symbols of a project, what refers to them and what a change of them reaches.',
      commands: ['memory code'],
      promptContributions: [],
    }),
  ]
}

type Told = Pick<PluginManifest, 'name' | 'description' | 'promptContributions'>

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

Credentials are kept by name on this machine, and you work with the names alone. The tool secret_list gives the names. The tool secret_exec runs a command with secrets in its environment; in its output their values are replaced. Do not ask the user for a value: when a name is missing, tell the user to add it with \`memory secrets set NAME\`.`,
} as const

import { pathToFileURL } from 'node:url'
import { Flags } from '@oclif/core'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { packageFile } from '../lib/files/package-root.js'

export default class Mcp extends DaemonCommand {
  static override enableJsonFlag = false
  static override summary = 'Serve memory to an MCP client on stdin and stdout.'
  static override description =
    'What an agent starts; the same as the program service-mcp. The daemon is started when it is not running. ' +
    'Ends when the client closes its end.'
  static override examples = [
    'claude mcp add memory -- service-mcp',
    'codex mcp add memory -- service-mcp',
    '<%= config.bin %> mcp --tools core',
  ]
  static override flags = {
    tools: Flags.option({
      summary: 'Tools to offer: those a session needs, or all.',
      options: ['core', 'all'] as const,
      default: 'all' as const,
    })(),
    resources: Flags.boolean({ summary: 'Offer memories as resources (memory://ID) too.' }),
    prompts: Flags.boolean({ summary: 'Offer the recall prompt too.' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Mcp)
    const given = Object.entries({ tools: flags.tools, ...this.globals }).filter(([, value]) => value)
    const switches = Object.entries({ resources: flags.resources, prompts: flags.prompts })
    process.argv = [
      ...process.argv.slice(0, 2),
      ...given.flatMap(([name, value]) => [`--${name}`, String(value)]),
      ...switches.flatMap(([name, on]) => (on ? [`--${name}`] : [])),
    ]
    // Runs in this process, so that the client's signals and the end of stdin reach the server itself.
    await import(pathToFileURL(packageFile('bin', 'mcp.js')).href)
  }
}

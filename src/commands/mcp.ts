import { pathToFileURL } from 'node:url'
import { Flags } from '@oclif/core'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { packageFile } from '../lib/files/package-root.js'

export default class Mcp extends DaemonCommand {
  static override enableJsonFlag = false
  static override summary = 'Run the MCP server on stdin and stdout.'
  static override description =
    'Started by coding agents; identical to the program service-mcp. Starts the daemon if it is not running. ' +
    'Stops when the client closes stdin.'
  static override examples = [
    'claude mcp add memory -- service-mcp',
    'codex mcp add memory -- service-mcp',
    '<%= config.bin %> mcp --tools core',
  ]
  static override flags = {
    tools: Flags.option({
      summary: 'Tools to list: the essential ones, most, or all. Default: the setting mcp.tools.',
      options: ['core', 'standard', 'all'] as const,
    })(),
    resources: Flags.boolean({ summary: 'Also offer memories as resources (memory://ID).' }),
    prompts: Flags.boolean({ summary: 'Also offer the recall prompt.' }),
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

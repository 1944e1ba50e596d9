import { Flags } from '@oclif/core'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, formatTable, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class HarnessesList extends DaemonCommand {
  static override summary = 'List the files that coding agents read on this machine.'
  static override description =
    'Instructions, settings, hooks and MCP servers of the known agents, and which of the files are there. In a pipe: one ' +
    'line a file with tab-separated fields: agent, present or missing, what it holds, path.'
  static override examples = [
    '<%= config.bin %> harnesses list',
    '<%= config.bin %> harnesses list --present --json',
  ]
  static override flags = {
    present: Flags.boolean({ summary: 'Only files that are there.' }),
  }

  async run(): Promise<Reply<'GET /api/harnesses'>> {
    const { flags } = await this.parse(HarnessesList)
    const { harnesses: all } = await this.call('GET /api/harnesses')
    const harnesses = flags.present ? all.filter(({ exists }) => exists) : all
    if (!this.jsonEnabled() && harnesses.length > 0) {
      const rows = harnesses.map(({ name, exists, kinds, path }) => [
        name,
        exists ? 'present' : 'missing',
        kinds.join(','),
        path,
      ])
      const headings = ['AGENT', 'FILE', 'HOLDS', 'PATH']
      print(
        process.stdout.isTTY
          ? formatTable(headings, rows, colorsFor())
          : rows.map(row => row.join('\t')).join('\n'),
      )
    }
    return { harnesses }
  }
}

import { Flags } from '@oclif/core'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { listFlags, listPage, printItems } from '../../cli/shell/list-output.js'
import { colorsFor, formatTable, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class HarnessesList extends DaemonCommand {
  static override summary = 'List the configuration files of coding agents on this machine.'
  static override description =
    'Shows instructions, settings, hooks and MCP server files of known coding agents, and whether they ' +
    'exist. When piped, prints one file per line with tab-separated fields: agent, present or missing, ' +
    'contents, path. With -q it prints the paths.'
  static override examples = [
    '<%= config.bin %> harnesses list',
    '<%= config.bin %> harnesses list --present --json',
  ]
  static override flags = {
    ...listFlags,
    present: Flags.boolean({ summary: 'Only files that exist.' }),
  }

  async run(): Promise<Reply<'GET /api/harnesses'>> {
    const { flags } = await this.parse(HarnessesList)
    const { harnesses: all } = await this.call('GET /api/harnesses')
    const harnesses = flags.present ? all.filter(({ exists }) => exists) : all
    const page = listPage(harnesses, { total: harnesses.length })
    if (this.jsonEnabled()) return { harnesses, ...page }
    if (!printItems(page, flags, 'path') && harnesses.length > 0) {
      const rows = harnesses.map(({ name, exists, kinds, path }) => [
        name,
        exists ? 'present' : 'missing',
        kinds.join(','),
        path,
      ])
      const headings = ['AGENT', 'FILE', 'CONTAINS', 'PATH']
      print(
        process.stdout.isTTY
          ? formatTable(headings, rows, colorsFor())
          : rows.map(row => row.join('\t')).join('\n'),
      )
    }
    return { harnesses }
  }
}

import { Flags } from '@oclif/core'
import { auditTable } from '../../cli/agents/plugins.js'
import { momentFlag, momentOf } from '../../cli/memory/flags.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { listFlags, listPage, printItems } from '../../cli/shell/list-output.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class PluginsAudit extends DaemonCommand {
  static override summary = 'Show the audit log of plugins, newest first.'
  static override description =
    'Reads .daemon/plugins/audit-v1.ndjson of the workspace. Text that looks like a credential is removed. ' +
    'When piped, prints one event per line with tab-separated fields: time, plugin, event, result, source, ' +
    'details.'
  static override examples = [
    '<%= config.bin %> plugins audit',
    '<%= config.bin %> plugins audit --since 7d --json',
    '<%= config.bin %> plugins audit --plugin service.secrets --event plugin.capability_denied',
  ]
  static override flags = {
    ...listFlags,
    plugin: Flags.string({ summary: 'Only events of this plugin.', helpValue: 'ID' }),
    event: Flags.string({ summary: 'Only this event.' }),
    since: momentFlag({ summary: 'Only events at or after this time (2026-01-31, 7d, yesterday).' }),
    until: momentFlag({ summary: 'Only events at or before this time.' }),
    limit: Flags.integer({ summary: 'Maximum number of events.', char: 'n', default: 100, min: 1, max: 500 }),
  }

  async run(): Promise<Reply<'GET /api/plugins/audit'>> {
    const { plugin: pluginId, ...rest } = (await this.parse(PluginsAudit)).flags
    const { event, limit } = rest
    const since = momentOf('--since', rest.since)
    const until = momentOf('--until', rest.until)
    const reply = await this.call('GET /api/plugins/audit', {
      query: { pluginId, event, since, until, limit },
    })
    const page = listPage(reply.events, { total: null, more: false })
    if (this.jsonEnabled()) return { ...reply, ...page }
    if (printItems(page, rest)) return reply
    if (reply.count === 0) printNote('No matching events.')
    else print(auditTable(reply.events, { colors: colorsFor(), tabs: !process.stdout.isTTY }))
    return reply
  }
}

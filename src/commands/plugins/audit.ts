import { Flags } from '@oclif/core'
import { auditTable } from '../../cli/agents/plugins/plugin-text.js'
import { momentFlag, momentOf } from '../../cli/memory/flags.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class PluginsAudit extends DaemonCommand {
  static override summary = 'Show what happened to plugins, newest first.'
  static override description =
    'From .daemon/plugins/audit-v1.ndjson of the workspace. What looks like a credential is not in it. In a pipe: one ' +
    'line an event with tab-separated fields: time, plugin, event, result, source, details.'
  static override examples = [
    '<%= config.bin %> plugins audit',
    '<%= config.bin %> plugins audit --since 7d --json',
    '<%= config.bin %> plugins audit --plugin service.secrets --event plugin.capability_denied',
  ]
  static override flags = {
    plugin: Flags.string({ summary: 'Of this plugin only.', helpValue: 'ID' }),
    event: Flags.string({ summary: 'This event only.' }),
    since: momentFlag({ summary: 'Only events at or after this moment (2026-01-31, 7d, yesterday).' }),
    until: momentFlag({ summary: 'Only events at or before this moment.' }),
    limit: Flags.integer({ summary: 'At most this many events.', char: 'n', default: 100, min: 1, max: 500 }),
  }

  async run(): Promise<Reply<'GET /api/plugins/audit'>> {
    const { plugin: pluginId, ...rest } = (await this.parse(PluginsAudit)).flags
    const { event, limit } = rest
    const since = momentOf('--since', rest.since)
    const until = momentOf('--until', rest.until)
    const reply = await this.call('GET /api/plugins/audit', {
      query: { pluginId, event, since, until, limit },
    })
    if (this.jsonEnabled()) return reply
    if (reply.count === 0) printNote('Nothing of this kind was noted.')
    else print(auditTable(reply.events, { colors: colorsFor(), tabs: !process.stdout.isTTY }))
    return reply
  }
}

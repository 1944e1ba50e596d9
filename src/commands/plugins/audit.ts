import { Flags } from '@oclif/core'
import { auditTable } from '../../cli/agents/plugin-text.js'
import { DaemonCommand } from '../../cli/daemon-command.js'
import { colorsFor, print, printNote } from '../../cli/output.js'
import type { Reply } from '../../contract/api.js'

export default class PluginsAudit extends DaemonCommand {
  static override summary = 'Show what happened to plugins, newest first.'
  static override description =
    'From .daemon/plugins/audit-v1.ndjson of the workspace. What looks like a credential is not in it.'
  static override examples = [
    '<%= config.bin %> plugins audit',
    '<%= config.bin %> plugins audit --plugin service.secrets --event plugin.capability_denied',
  ]
  static override flags = {
    plugin: Flags.string({ summary: 'Of this plugin only.', helpValue: 'ID' }),
    event: Flags.string({ summary: 'This event only.' }),
    since: Flags.string({ summary: 'Not before this time (ISO 8601).' }),
    until: Flags.string({ summary: 'Not after this time (ISO 8601).' }),
    limit: Flags.integer({ summary: 'So many events at most.', default: 100, min: 1, max: 500 }),
  }

  async run(): Promise<Reply<'GET /api/plugins/audit'>> {
    const { plugin: pluginId, ...rest } = (await this.parse(PluginsAudit)).flags
    const { event, since, until, limit } = rest
    const reply = await this.call('GET /api/plugins/audit', {
      query: { pluginId, event, since, until, limit },
    })
    if (this.jsonEnabled()) return reply
    if (reply.count === 0) printNote('Nothing of this kind was noted.')
    else print(auditTable(reply.events, colorsFor()))
    return reply
  }
}

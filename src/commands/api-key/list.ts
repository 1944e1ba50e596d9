import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { listFlags, listPage, printItems } from '../../cli/shell/list-output.js'
import { colorsFor, formatTable, print, printNote } from '../../cli/terminal/output.js'
import { ownCredential } from '../../client/daemon/own-credential.js'
import type { Reply } from '../../contract/api.js'
import { formatShortAge } from '../../lib/time/age.js'

type Keys = Reply<'GET /api/auth/keys'>

export default class ApiKeyList extends DaemonCommand {
  static override summary = 'List API keys, without the keys themselves.'
  static override description =
    'Newest first, including revoked and expired keys. The time of last use is accurate to a minute.'
  static override examples = ['<%= config.bin %> api-key list', '<%= config.bin %> api-key list --json']
  static override flags = listFlags

  async run(): Promise<Keys> {
    const { flags } = await this.parse(ApiKeyList)
    const reply = await this.call(
      'GET /api/auth/keys',
      {},
      { credential: () => ownCredential(this.globals.workspace) },
    )
    const page = listPage(reply.keys, { total: reply.keys.length })
    if (this.jsonEnabled()) return { ...reply, ...page }
    if (printItems(page, flags)) return reply
    if (reply.keys.length === 0) printNote('No API keys yet. Next: memory api-key create --name NAME')
    else print(keyTable(reply, new Date()))
    return reply
  }
}

function keyTable({ keys }: Keys, now: Date): string {
  const rows = keys.map(key => [
    key.prefix,
    key.name,
    key.role,
    stateOf(key, now.toISOString()),
    key.lastUsedAt ? formatShortAge(key.lastUsedAt, now.getTime()) : 'never',
    key.agentId ?? '-',
    key.project ?? '-',
    key.permissions.join(','),
  ])
  return formatTable(
    ['prefix', 'name', 'role', 'state', 'last used', 'agent', 'project', 'may'],
    rows,
    colorsFor(),
  )
}

function stateOf({ revokedAt, expiresAt }: Keys['keys'][number], now: string): string {
  if (revokedAt) return `revoked ${revokedAt.slice(0, 10)}`
  if (!expiresAt) return 'valid'
  return `${expiresAt <= now ? 'expired' : 'valid until'} ${expiresAt.slice(0, 10)}`
}

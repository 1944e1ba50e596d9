import { Flags } from '@oclif/core'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, formatFields, print, printNote } from '../../cli/terminal/output.js'
import { ownCredential } from '../../client/daemon/own-credential.js'
import type { Reply } from '../../contract/api.js'
import { permissions } from '../../contract/ground/endpoint.js'
import { roles } from '../../contract/platform/roles.js'

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

export default class ApiKeyCreate extends DaemonCommand {
  static override summary = 'Create an API key. The key is shown only once.'
  static override description =
    "Needs no credential on the daemon's machine if you can read the workspace. A key can do what its role " +
    'allows; --permission narrows it further, and --connector limits it to recall, remember and documents. ' +
    'When piped, only the key itself is printed.'
  static override examples = [
    '<%= config.bin %> api-key create --name ci --role readonly --expires 90d',
    '<%= config.bin %> api-key create --name codex --connector codex --agent-id codex',
    'SERVICE_API_KEY=$(<%= config.bin %> api-key create --name web --project web)',
  ]
  static override flags = {
    name: Flags.string({
      summary: 'Purpose of the key; recorded with each change made with it.',
      required: true,
    }),
    connector: Flags.string({ summary: 'The connector that uses the key.' }),
    'agent-id': Flags.string({ summary: 'Bind the key to this agent.' }),
    role: Flags.option({ summary: 'Role that limits what the key can do.', options: roles })({
      default: 'agent',
    }),
    permission: Flags.option({
      summary: 'Allow only these permissions of the role.',
      options: permissions,
      multiple: true,
    })(),
    project: Flags.string({ summary: 'Limit the key to this project.' }),
    expires: Flags.string({ summary: 'When the key expires: a time from now (12h, 30d, 8w) or a date.' }),
  }

  async run(): Promise<Reply<'POST /api/auth/keys'>> {
    const { flags } = await this.parse(ApiKeyCreate)
    const created = await this.call(
      'POST /api/auth/keys',
      {
        body: {
          name: flags.name,
          connector: flags.connector,
          agentId: flags['agent-id'],
          role: flags.role,
          permissions: flags.permission,
          project: flags.project,
          ...(flags.expires && { expiresAt: expiryOf(flags.expires, new Date()) }),
        },
      },
      { credential: () => ownCredential(this.globals.workspace) },
    )
    if (this.jsonEnabled()) return created
    print(created.key)
    printNote(keyDetails(created))
    return created
  }
}

function keyDetails(created: Reply<'POST /api/auth/keys'>): string {
  const { id, prefix, role, permissions, agentId, project, expiresAt } = created
  const colors = colorsFor(process.stderr)
  return [
    formatFields(
      [
        ['id', id],
        ['prefix', prefix],
        ['role', role],
        ['may', permissions.join(', ') || 'nothing'],
        ...(agentId ? [['agent', agentId] as const] : []),
        ...(project ? [['project', project] as const] : []),
        ['expires', expiresAt ?? 'never'],
      ],
      colors,
    ),
    // The lines above show restrictions, but an admin key has none.
    ...(role === 'admin' && (agentId || project)
      ? [
          `${colors.yellow('The role admin ignores --agent-id and --project:')} this key can read and change everything. Choose another --role to limit it.`,
        ]
      : []),
    `${colors.yellow('This key is shown only once.')} Set it as SERVICE_API_KEY. To revoke it: memory api-key revoke ${prefix}`,
  ].join('\n')
}

/**
 * Parses an expiry: `30d` from now (m, h, d, w), or a date.
 * @returns an ISO 8601 timestamp.
 * @throws CliError `invalid_input`
 */
function expiryOf(text: string, now: Date): string {
  const [, amount, unit = ''] = /^(\d{1,6})([mhdw])$/u.exec(text) ?? []
  const time = amount ? now.getTime() + Number(amount) * (unitMs[unit] ?? 0) : Date.parse(text)
  if (Number.isNaN(time) || time <= now.getTime())
    throw new CliError(`--expires ${JSON.stringify(text)} is not a time in the future`, {
      code: 'invalid_input',
      exit: 'usage',
      nextSteps: ['Give a time from now such as 12h, 30d or 8w, or a date such as 2030-01-31'],
    })
  return new Date(time).toISOString()
}

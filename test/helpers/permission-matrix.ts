import { type EndpointShape, type Permission, permissions } from '../../src/contract/ground/endpoint.js'
import { type Role, roles } from '../../src/contract/platform/roles.js'
import { jsonOf } from '../../src/lib/text/json-of.js'
import type { Team } from './team.js'

export interface MatrixRow {
  address: string
  permission: EndpointShape['permission']
  /** Roles that the daemon let in; `nobody` has no credential. */
  allowed: Record<Role | 'nobody', boolean>
  /** Status and code of each answer. */
  answers: Record<Role | 'nobody', string>
}

/**
 * Calls every address of the running daemon with every role: 401 and 403 mean denied, any other status
 * allowed.
 */
export async function probeMatrix(team: Team, endpoints: readonly EndpointShape[]): Promise<MatrixRow[]> {
  const rows: MatrixRow[] = []
  for (const { method, path, aliases = [], permission } of endpoints)
    for (const address of [path, ...aliases]) {
      const row = { address: `${method} ${address}`, permission, allowed: {}, answers: {} } as MatrixRow
      for (const who of ['nobody', ...roles] as const) {
        const headers = who === 'nobody' ? {} : team.token({ role: who })
        const reply = await fetch(team.url + address.replace(/:\w+/gu, 'none'), { method, headers })
        const code = await codeOf(reply)
        row.answers[who] = `${reply.status} ${code ?? ''}`
        // A disabled plugin denies all callers, whatever their role.
        row.allowed[who] = code === 'plugin_capability_denied' || ![401, 403].includes(reply.status)
      }
      rows.push(row)
    }
  return rows
}

/**
 * Reads the body too: an unread body forces the next request onto a new connection. If a busy process leaves
 * one waiting for ten seconds, the answer is 408 before authentication.
 */
async function codeOf(reply: Response): Promise<unknown> {
  // An event stream never ends.
  if (reply.headers.get('content-type')?.includes('event-stream')) return void (await reply.body?.cancel())
  const text = await reply.text()
  return (jsonOf(text) as { code?: unknown } | undefined)?.code
}

/** Renders the page docs/permissions.md. */
export function renderMatrix(
  rows: readonly MatrixRow[],
  table: Record<Permission, readonly Role[]>,
  programs: readonly string[],
): string {
  const mark = (yes: boolean) => (yes ? 'yes' : '-')
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const head = (...first: string[]) => [
    line([...first, ...roles]),
    line([...first, ...roles].map(() => '---')),
  ]
  return [
    '# Permissions',
    '',
    'Generated from a running daemon in team mode by `test/api/platform/auth-matrix.test.ts`; `UPDATE_DOCS=1` rewrites it.',
    'In local mode every caller may do everything. In hybrid mode this applies to callers on this machine without a credential.',
    '',
    '## Roles and permissions',
    '',
    ...head('Permission'),
    ...permissions.map(permission =>
      line([permission, ...roles.map(role => mark(table[permission].includes(role)))]),
    ),
    '',
    '## Administrators elsewhere',
    '',
    'These equal a shell of the user who runs the daemon, or give out all secrets, so callers on other machines or behind a proxy get 403, unless `auth.remoteAdminMayRun` is on. `POST /api/git/init` does so with a `remoteUrl` only. `POST /api/settings` refuses in the same way changes of `update.manifestUrl`, `update.manifestKey`, `update.trustRegistry`, `embedding.apiKey`, `inference.apiKey`, `apiBaseUrl` of sources and `documents.allowPrivateHosts`. While a key is set, it refuses changes of its `baseUrl` and `provider` too. Changes of `auth` and `POST /api/git/settings` always need this machine.',
    '',
    ...programs.map(address => `- \`${address}\``),
    '',
    'An administrator elsewhere still reads and changes every memory, sends texts to other servers (`embedding`, `inference`) if no key is set, installs skills, which agents read, and makes and restores backups.',
    '',
    '## Routes and roles',
    '',
    '`public` needs no credential, `authenticated` any valid one. `/mcp` needs any valid one; its tools call the routes below.',
    '',
    ...head('Route', 'Permission'),
    ...rows.map(({ address, permission, allowed }) =>
      line([`\`${address}\``, permission, ...roles.map(role => mark(allowed[role]))]),
    ),
    '',
  ].join('\n')
}

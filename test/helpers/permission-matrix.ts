import { type EndpointShape, type Permission, permissions } from '../../src/contract/ground/endpoint.js'
import { type Role, roles } from '../../src/contract/platform/roles.js'
import { jsonOf } from '../../src/lib/text/json-of.js'
import type { Team } from './team.js'

export interface MatrixRow {
  address: string
  permission: EndpointShape['permission']
  /** Whether the daemon let each role in; and a request without a credential. */
  allowed: Record<Role | 'nobody', boolean>
  /** What it answered to them: status and code. */
  answers: Record<Role | 'nobody', string>
}

/** Asks every address of the running daemon as every role: 401 and 403 are a no, whatever else it says a yes. */
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
        // A plugin that is off denies everybody, whatever their role may do.
        row.allowed[who] = code === 'plugin_capability_denied' || ![401, 403].includes(reply.status)
      }
      rows.push(row)
    }
  return rows
}

/**
 * Takes the body as well: each that is left has the next request open a connection, and one that a busy process leaves
 * waiting for ten seconds is answered 408 before anybody asks who is there.
 */
async function codeOf(reply: Response): Promise<unknown> {
  // The end of a stream would not come.
  if (reply.headers.get('content-type')?.includes('event-stream')) return void (await reply.body?.cancel())
  const text = await reply.text()
  return (jsonOf(text) as { code?: unknown } | undefined)?.code
}

/** The page docs/permissions.md. */
export function renderMatrix(rows: readonly MatrixRow[], table: Record<Permission, readonly Role[]>): string {
  const mark = (yes: boolean) => (yes ? 'yes' : '-')
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const head = (...first: string[]) => [
    line([...first, ...roles]),
    line([...first, ...roles].map(() => '---')),
  ]
  return [
    '# Permissions',
    '',
    'Generated from a running daemon in team mode by `test/api/platform/auth-matrix.test.ts`; `UPDATE_DOCS=1` writes it anew.',
    'In mode local everybody may do everything, in mode hybrid everybody on this machine who presents no credential.',
    '',
    '## Roles and permissions',
    '',
    ...head('Permission'),
    ...permissions.map(permission =>
      line([permission, ...roles.map(role => mark(table[permission].includes(role)))]),
    ),
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

import type { EndpointShape } from '../../src/contract/ground/endpoint.js'
import { type Permission, permissions } from '../../src/contract/ground/endpoint.js'
import { type Role, roles } from '../../src/contract/platform/roles.js'
import type { Team } from './team.js'

export interface MatrixRow {
  address: string
  permission: EndpointShape['permission']
  /** Whether the daemon let each role in; and a request without a credential. */
  allowed: Record<Role | 'nobody', boolean>
}

/** Asks every address of the running daemon as every role: 401 and 403 are a no, whatever else it says a yes. */
export async function probeMatrix(team: Team, endpoints: readonly EndpointShape[]): Promise<MatrixRow[]> {
  const rows: MatrixRow[] = []
  for (const { method, path, aliases = [], permission } of endpoints)
    for (const address of [path, ...aliases]) {
      const ask = async (headers: Record<string, string>) => {
        const url = team.url + address.replace(/:\w+/gu, 'none')
        const reply = await fetch(url, { method, headers })
        if (reply.status === 401) return false
        // A plugin that is off denies everybody, whatever their role may do.
        return reply.status !== 403 || (await codeOf(reply)) === 'plugin_capability_denied'
      }
      const allowed = { nobody: await ask({}) } as MatrixRow['allowed']
      for (const role of roles) allowed[role] = await ask(team.token({ role }))
      rows.push({ address: `${method} ${address}`, permission, allowed })
    }
  return rows
}

async function codeOf(reply: Response): Promise<unknown> {
  return ((await reply.json()) as { code?: unknown }).code
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

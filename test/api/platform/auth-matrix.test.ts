import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { endpoints } from '../../../src/contract/api.js'
import { type EndpointShape, type Permission, permissions } from '../../../src/contract/ground/endpoint.js'
import { type Role, rolePermissions, roles } from '../../../src/contract/platform/roles.js'
import { probeMatrix, renderMatrix } from '../../helpers/permission-matrix.js'
import { startTeam } from '../../helpers/team.js'

const all = endpoints as readonly EndpointShape[]
const page = join(import.meta.dirname, '..', '..', '..', 'docs', 'permissions.md')

/** The permissions of each role, listed independently of the contract (security.md 5.4). */
const specified: Record<Permission, readonly Role[]> = {
  remember: ['admin', 'operator', 'agent'],
  recall: ['admin', 'operator', 'agent', 'readonly'],
  modify: ['admin', 'operator', 'agent'],
  forget: ['admin', 'operator', 'agent'],
  recover: ['admin', 'operator', 'agent'],
  documents: ['admin', 'operator', 'agent'],
  connectors: ['admin', 'operator'],
  diagnostics: ['admin', 'operator'],
  analytics: ['admin', 'operator'],
  relay: ['admin', 'operator'],
  admin: ['admin'],
}

/** The permission of each address, listed independently of the contract. */
const named: Record<string, EndpointShape['permission']> = {
  'GET /health': 'public',
  'GET /health/ready': 'public',
  'GET /api/memories': 'recall',
  'POST /api/memory/remember': 'remember',
  'POST /api/memory/save': 'remember',
  'POST /api/hook/remember': 'remember',
  'POST /api/memory/harnessb-native-note': 'remember',
  'GET /api/memory/:id': 'recall',
  'GET /api/memory/:id/history': 'recall',
  'GET /api/memory/:id/lineage': 'recall',
  'POST /api/memory/:id/recover': 'recover',
  'PATCH /api/memory/:id': 'modify',
  'DELETE /api/memory/:id': 'forget',
  'POST /api/memory/forget': 'forget',
  'POST /api/memory/modify': 'modify',
  'POST /api/memory/recall': 'recall',
  'GET /api/memory/search': 'recall',
  'GET /memory/search': 'recall',
  'GET /memory/similar': 'recall',
  'GET /api/embeddings': 'recall',
  'POST /api/memories/:id/tombstone': 'forget',
  'POST /api/memories/:id/supersede': 'modify',
  'POST /api/hooks/session-start': 'remember',
  'POST /api/hooks/user-prompt-submit': 'recall',
  'POST /api/hooks/remember': 'remember',
  'POST /api/hooks/recall': 'recall',
  'POST /api/hooks/notifications': 'recall',
  'GET /api/sessions': 'recall',
  'GET /api/sessions/:key': 'recall',
  'POST /api/sessions/:key/bypass': 'remember',
  'GET /api/plugins': 'diagnostics',
  'GET /api/plugins/prompt-contributions': 'diagnostics',
  'GET /api/plugins/audit': 'diagnostics',
  'GET /api/plugins/:id': 'diagnostics',
  'GET /api/plugins/:id/diagnostics': 'diagnostics',
  'PATCH /api/plugins/:id': 'admin',
  'POST /api/auth/token': 'admin',
  'POST /api/auth/keys': 'admin',
  'GET /api/auth/keys': 'admin',
  'DELETE /api/auth/keys/:idOrPrefix': 'admin',
}

test('each role has exactly the permissions of the table (security.md 5.4)', t => {
  for (const permission of permissions)
    t.deepEqual(
      roles.filter(role => rolePermissions[role].includes(permission)),
      [...specified[permission]],
      permission,
    )
})

test('the running daemon grants each role exactly the routes of the table (rules.md 4.1 and security.md 5.4)', async t => {
  const team = await startTeam(t)
  const rows = await probeMatrix(team, all)
  t.is(rows.length, all.flatMap(({ aliases = [] }) => [1, ...aliases]).length)
  for (const { address, permission, allowed, answers } of rows) {
    t.is(named[address] ?? permission, permission, address)
    t.is(allowed.nobody, permission === 'public', `${address} without a credential: ${answers.nobody}`)
    for (const role of roles)
      t.is(
        allowed[role],
        permission === 'public' || permission === 'authenticated' || specified[permission].includes(role),
        `${address} as ${role}: ${answers[role]}`,
      )
  }
  for (const address of Object.keys(named))
    t.true(
      rows.some(row => row.address === address),
      address,
    )
  const programs = all
    .filter(({ runsPrograms, givesSecrets }) => runsPrograms || givesSecrets)
    .map(({ method, path }) => `${method} ${path}`)
  const rendered = renderMatrix(rows, specified, programs)
  if (process.env.UPDATE_DOCS) writeFileSync(page, rendered)
  t.is(
    readFileSync(page, 'utf8'),
    rendered,
    'docs/permissions.md is out of date: run this test with UPDATE_DOCS=1',
  )
})

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { bearer, startTeam } from '../../helpers/team.js'

const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

test('an API key is shown once and stored hashed (security.md 5.2)', async t => {
  const { call, admin, daemon, paths, stop } = await startTeam(t)
  const body = { name: 'ci', role: 'operator' } as const
  const created = await call('POST /api/auth/keys', { body, headers: admin })
  t.is(created.status, 201)
  const { key, prefix, id } = created.body
  t.regex(key, /^svc_sk_[\w-]{43}$/)
  t.true(key.startsWith(prefix) && prefix.length === 15)
  t.like(created.body, { name: 'ci', role: 'operator', connector: null, agentId: null, expiresAt: null })
  const list = await call('GET /api/auth/keys', { headers: admin })
  t.deepEqual(
    list.body.keys.map(one => one.id),
    [id],
  )
  t.false(JSON.stringify(list.body).includes(key))
  const row = await daemon.store.tables.apiKeys.byHash(createHash('sha256').update(key).digest('hex'))
  t.is(row?.id, id)
  t.is((await call('GET /api/status', { headers: bearer(key) })).status, 200)
  await stop()
  t.false(readFileSync(paths.database).includes(key))
})

test('a revoked key is refused at its next request (security.md 5.2)', async t => {
  const { call, key, admin } = await startTeam(t)
  const one = await key({ name: 'one' })
  const other = await key({ name: 'other' })
  t.is((await call('GET /api/memories', { headers: one.headers })).status, 200)
  const prefix = one.key.slice(0, 15)
  const revoked = await call('DELETE /api/auth/keys/:idOrPrefix', {
    params: { idOrPrefix: prefix },
    headers: admin,
  })
  t.is(revoked.body.id, one.id)
  t.deepEqual(outcome(await call('GET /api/memories', { headers: one.headers })), [401, 'unauthenticated'])
  t.is((await call('GET /api/memories', { headers: other.headers })).status, 200)
  const again = await call('DELETE /api/auth/keys/:idOrPrefix', {
    params: { idOrPrefix: one.id },
    headers: admin,
  })
  t.is(again.body.revokedAt, revoked.body.revokedAt)
  const none = await call('DELETE /api/auth/keys/:idOrPrefix', {
    params: { idOrPrefix: 'svc_sk_x' },
    headers: admin,
  })
  t.deepEqual(outcome(none), [404, 'not_found'])
})

test('a leaked key can be revoked by its full text, which is never repeated (security.md 5.2)', async t => {
  const { call, key, admin } = await startTeam(t)
  const { id, key: found, headers } = await key({ name: 'leaked' })
  const revoke = (idOrPrefix: string) =>
    call('DELETE /api/auth/keys/:idOrPrefix', { params: { idOrPrefix }, headers: admin })
  t.is((await revoke(found)).body.id, id)
  t.deepEqual(outcome(await call('GET /api/memories', { headers })), [401, 'unauthenticated'])
  const other = `svc_sk_${'x'.repeat(43)}`
  t.false(JSON.stringify((await revoke(other)).body).includes(other))
})

test('a stream ends soon after the key that opened it was revoked (security.md 5.2)', async t => {
  const { call, key, admin, url } = await startTeam(t)
  const [one, other] = [await key({ role: 'operator' }), await key({ role: 'operator' })]
  const open = async ({ headers }: typeof one) => {
    const { body, status } = await fetch(`${url}/api/logs/stream`, { headers })
    t.is(status, 200)
    const state = { ended: false }
    const ended = body!.pipeTo(new WritableStream()).catch(() => undefined)
    void ended.then(() => (state.ended = true))
    return { state, ended, cancel: () => body!.cancel().catch(() => undefined) }
  }
  const [ends, stays] = [await open(one), await open(other)]
  await call('DELETE /api/auth/keys/:idOrPrefix', { params: { idOrPrefix: one.id }, headers: admin })
  await ends.ended
  t.false(stays.state.ended)
})

test('a key expires at its expiry time', async t => {
  let now = new Date('2026-03-01T12:00:00Z')
  const { call, key, admin } = await startTeam(t, { clock: () => now })
  const { headers } = await key({ expiresAt: '2026-03-02T00:00:00Z' })
  t.is((await call('GET /api/memories', { headers })).status, 200)
  now = new Date('2026-03-02T00:00:00Z')
  t.deepEqual(outcome(await call('GET /api/memories', { headers })), [401, 'unauthenticated'])
  const body = { name: 'late', expiresAt: '2026-03-01T00:00:00Z' }
  t.deepEqual(outcome(await call('POST /api/auth/keys', { body, headers: admin })), [
    400,
    'validation_failed',
  ])
})

test('a connector key may recall, remember and use documents by default (security.md 5.2)', async t => {
  const { call, key } = await startTeam(t)
  const permissionsOf = async (fields: Parameters<typeof key>[0]) => {
    const { headers } = await key(fields)
    return (await call('GET /api/auth/whoami', { headers })).body.permissions
  }
  t.deepEqual(await permissionsOf({ connector: 'codex' }), ['remember', 'recall', 'documents'])
  t.deepEqual(await permissionsOf({ connector: 'codex', permissions: ['recall'] }), ['recall'])
  t.deepEqual(await permissionsOf({ connector: 'codex', role: 'readonly' }), ['recall'])
})

test('the last use of a key is listed, accurate to a minute', async t => {
  let now = new Date('2026-03-01T12:00:00Z')
  const { call, key, admin } = await startTeam(t, { clock: () => now })
  const used = await key({ name: 'used' })
  await key({ name: 'unused' })
  const lastUses = async () => {
    const { body } = await call('GET /api/auth/keys', { headers: admin })
    return Object.fromEntries(body.keys.map(one => [one.name, one.lastUsedAt]))
  }
  t.deepEqual(await lastUses(), { used: null, unused: null })
  for (const [time, recorded] of [
    ['2026-03-01T12:00:10.000Z', '2026-03-01T12:00:10.000Z'],
    ['2026-03-01T12:01:09.000Z', '2026-03-01T12:00:10.000Z'],
    ['2026-03-01T12:01:10.000Z', '2026-03-01T12:01:10.000Z'],
    // The clock was set back.
    ['2026-02-01T12:00:00.000Z', '2026-02-01T12:00:00.000Z'],
  ] as const) {
    now = new Date(time)
    t.is((await call('GET /api/memories', { headers: used.headers })).status, 200)
    t.deepEqual(await lastUses(), { used: recorded, unused: null })
  }
})

test('a key whose use cannot be recorded still works', async t => {
  const { call, key, admin, daemon } = await startTeam(t)
  const { headers } = await key({})
  daemon.store.write = async () => {
    throw new Error('disk full')
  }
  t.is((await call('GET /api/auth/whoami', { headers })).status, 200)
  t.is((await call('GET /api/auth/keys', { headers: admin })).body.keys[0]?.lastUsedAt, null)
})

test('a list of permissions narrows a key and never widens it (security.md 5.2)', async t => {
  const { call, key } = await startTeam(t)
  const narrow = (await key({ role: 'agent', permissions: ['recall', 'admin'] })).headers
  t.is((await call('GET /api/memories', { headers: narrow })).status, 200)
  const body = { content: 'x' }
  t.deepEqual(outcome(await call('POST /api/memory/remember', { body, headers: narrow })), [403, 'forbidden'])
  t.deepEqual(outcome(await call('GET /api/auth/keys', { headers: narrow })), [403, 'forbidden'])
  const wide = (await key({ role: 'readonly', permissions: ['remember'] })).headers
  t.deepEqual(outcome(await call('POST /api/memory/remember', { body, headers: wide })), [403, 'forbidden'])
})

test('a caller cannot grant permissions it lacks', async t => {
  const { call, key } = await startTeam(t)
  const { headers } = await key({ role: 'admin', permissions: ['admin', 'recall'] })
  const create = (body: { name: string; role: 'admin' | 'readonly' | 'agent' }) =>
    call('POST /api/auth/keys', { body, headers })
  t.is((await create({ name: 'reader', role: 'readonly' })).status, 201)
  t.deepEqual(outcome(await create({ name: 'writer', role: 'agent' })), [403, 'forbidden'])
  t.deepEqual(outcome(await create({ name: 'boss', role: 'admin' })), [403, 'forbidden'])
  t.deepEqual(outcome(await call('POST /api/auth/token', { body: { role: 'admin' }, headers })), [
    403,
    'forbidden',
  ])
})

test('changes made with a key are recorded under its name, as an agent’s (rules.md 2.2)', async t => {
  const { call, key } = await startTeam(t)
  const { headers } = await key({ name: 'codex key' })
  const claim = { ...headers, 'x-service-actor': 'boss', 'x-service-actor-type': 'operator' }
  const saved = await call('POST /api/memory/remember', {
    body: { content: 'one', pinned: true },
    headers: claim,
  })
  const params = { id: saved.body.id }
  const { body } = await call('GET /api/memory/:id/history', { params, headers })
  t.like(body.history[0], { changedBy: 'codex key', actorType: 'agent' })
  const query = { reason: 'x', force: true }
  const forced = await call('DELETE /api/memory/:id', { params, query, headers: claim })
  t.deepEqual(outcome(forced), [403, 'autonomous_force_denied'])
})

test('keys can be created and listed in local mode, before it is left (security.md 5.2)', async t => {
  const { call } = await startDaemon(t)
  t.is((await call('POST /api/auth/keys', { body: { name: 'early' } })).status, 201)
  t.is((await call('GET /api/auth/keys')).body.keys.length, 1)
})

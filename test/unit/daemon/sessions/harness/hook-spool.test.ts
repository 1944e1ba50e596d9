import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { SpooledHook } from '../../../../../src/contract/sessions/harness-hook.js'
import type { SelfClient } from '../../../../../src/daemon/platform/daemon/ask-self.js'
import { createEventDeduplicator } from '../../../../../src/daemon/sessions/harness/event-deduplicator.js'
import {
  createHookSpool,
  spoolFailedHook,
  type UnwrittenHooks,
} from '../../../../../src/daemon/sessions/harness/hook-spool.js'
import { createSessionFiles } from '../../../../../src/daemon/sessions/harness/session-files.js'
import { putInSpool } from '../../../../../src/lib/files/spool.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'
import { until } from '../../../../helpers/daemon-process.js'
import { manualTime } from '../../../../helpers/manual-time.js'
import { startTeam } from '../../../../helpers/team.js'

interface Served {
  client: SelfClient
  path: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any hook
  body: any
}

/** Opens a spool for a daemon in team mode; a fake API answers with `status`. */
async function openSpool(t: ExecutionContext) {
  const team = await startTeam(t)
  const folder = join(temporaryWorkspace(t), 'hook-spool')
  const deps = { ...team.daemon, paths: { ...team.daemon.paths, hookSpool: folder } }
  const served: Served[] = []
  const state = { status: 200 }
  const time = manualTime()
  const held: UnwrittenHooks = new Map()
  const spool = createHookSpool(deps, {
    timers: time.timers,
    files: createSessionFiles(deps),
    heard: createEventDeduplicator(),
    held,
    askAs: client => async request => {
      served.push({ client, path: request.path, body: JSON.parse(String(request.body)) })
      return { status: state.status, headers: {}, text: '{}' }
    },
  })
  t.teardown(spool.close)
  const put = (id: string, fields: Partial<SpooledHook> = {}): boolean =>
    putInSpool(folder, id, { ...entry, ...fields })
  const waiting = (): string[] => readdirSync(folder).filter(name => name !== 'failed')
  const failed = (): string[] => {
    const aside = join(folder, 'failed')
    return existsSync(aside) ? readdirSync(aside) : []
  }
  return { team, deps: { ...deps, held }, folder, served, state, time, spool, put, waiting, failed }
}

const entry: SpooledHook = {
  harness: 'claude-code',
  hook: 'session-end',
  time: '2026-01-31T09:00:00.000Z',
  input: JSON.stringify({ session_id: 's-1', transcript_path: '/t.jsonl', reason: 'clear' }),
}

test('stored hooks are served at a start, oldest first and once, with their original time', async t => {
  const { put, spool, served, time, waiting } = await openSpool(t)
  put('0002', { input: JSON.stringify({ session_id: 'second' }) })
  put('0001', { input: JSON.stringify({ session_id: 'first' }) })
  spool.start()
  await until(() => waiting().length === 0 || undefined)
  time.advance(120_000)
  await spool.close()
  t.deepEqual(
    served.map(({ path, body }) => [path, body.sessionKey, body.capturedAt]),
    [
      ['/api/hooks/session-end', 'first', entry.time],
      ['/api/hooks/session-end', 'second', entry.time],
    ],
  )
})

test('a hook stored by a plugin is served unchanged, because it is an API body', async t => {
  const { put, spool, served, waiting, failed } = await openSpool(t)
  const body = { sessionKey: 'ses_1', runtimePath: 'plugin', transcript: '{"role":"user","text":"a"}' }
  put('0001', { harness: 'opencode', input: JSON.stringify(body) })
  spool.start()
  await until(() => waiting().length === 0 || undefined)
  t.deepEqual(failed(), [])
  t.is(served[0]?.path, '/api/hooks/session-end')
  t.deepEqual(served[0]?.body, { ...body, harness: 'opencode', capturedAt: entry.time })
})

test('an unavailable daemon leaves stored hooks in order, and retries every minute', async t => {
  const { put, spool, served, state, time, waiting, failed } = await openSpool(t)
  put('0001')
  put('0002')
  state.status = 503
  spool.start()
  await until(() => served.length === 1 || undefined)
  await until(() => {
    state.status = 200
    time.advance(60_000)
    return waiting().length === 0 || undefined
  })
  t.deepEqual(failed(), [])
})

test('once the disk has space, stored hooks and those in memory are served at once', async t => {
  const { deps, put, spool, served, state, waiting } = await openSpool(t)
  put('0001')
  state.status = 507
  spool.start()
  await until(() => served.length === 1 || undefined)
  deps.held.set('0002', { ...entry, input: JSON.stringify({ session_id: 'held' }) })
  await until(() => {
    state.status = 200
    spool.hear?.('returned')
    return waiting().length === 0 || undefined
  })
  t.is(deps.held.size, 0)
  t.is(served.at(-1)?.body.sessionKey, 'held')
})

test('invalid hooks are set aside, and the ones behind them are served', async t => {
  const { put, spool, folder, served, waiting, failed } = await openSpool(t)
  put('0001', { input: 'nonsense' })
  put('0002', { harness: 'vim' })
  put('0003', { hook: 'nonsense' })
  writeFileSync(join(folder, '0004.json'), '{"torn')
  put('0005')
  spool.start()
  await until(() => waiting().length === 0 || undefined)
  t.deepEqual(failed(), ['0001.json', '0002.json', '0003.json', '0004.json'])
  t.is(served.length, 1)
})

test('a hook refused by the API is set aside', async t => {
  const { put, spool, state, failed } = await openSpool(t)
  state.status = 409
  put('0001')
  spool.start()
  await until(() => failed().length === 1 || undefined)
  t.pass()
})

test('a hook without credential is served as the agent it names', async t => {
  const { put, spool, served } = await openSpool(t)
  put('0001', { agent: 'änn' })
  spool.start()
  await until(() => served.length === 1 || undefined)
  t.deepEqual(served[0]?.client, {
    headers: { 'x-service-agent-id': Buffer.from('änn').toString('latin1') },
    peer: '127.0.0.1',
  })
})

test('a hook from another machine is served as remote, and no local file is read (security.md 5.1)', async t => {
  const { team, folder, put, spool, served } = await openSpool(t)
  const transcriptPath = join(folder, '..', 'said.jsonl')
  writeFileSync(transcriptPath, '{"role":"user","text":"the harbour"}')
  const [, claims = ''] = /^Bearer ([^.]+)/.exec(team.admin.authorization) ?? []
  const end = { credential: claims, harness: 'copilot', input: JSON.stringify({ sessionId: 's-1' }) }
  put('0001', end)
  put('0002', { ...end, elsewhere: true })
  spool.start()
  await until(() => served.length === 2 || undefined)
  t.deepEqual(
    served.map(({ body }) => typeof body.transcriptPath),
    ['string', 'undefined'],
  )
  const statuses = served.map(async ({ client }) => {
    const body = { harness: 'codex', sessionKey: 's-1', transcriptPath }
    return (await team.call('POST /api/hooks/session-end', { body, headers: client.headers })).status
  })
  t.deepEqual(await Promise.all(statuses), [200, 400])
})

/** Returns the identity that the daemon derives from the credential of a spooled hook. */
const whoIs = async (team: Awaited<ReturnType<typeof startTeam>>, client: SelfClient | undefined) =>
  (await team.call('GET /api/auth/whoami', { headers: client?.headers })).body

test('a hook with an API key is served with the name, role and agent of the key', async t => {
  const { team, put, spool, served } = await openSpool(t)
  const { key } = await team.key({ name: 'laptop', agentId: 'ann' })
  put('0001', { credential: key.slice(0, 15) })
  spool.start()
  await until(() => served.length === 1 || undefined)
  t.like(await whoIs(team, served[0]?.client), { actor: 'laptop', role: 'agent', scope: { agent: 'ann' } })
})

test('a hook with a token is served with the claims of the token', async t => {
  const { team, put, spool, served } = await openSpool(t)
  const { authorization } = team.token({ role: 'agent', sub: 'bob', scope: { project: 'api' } })
  const [claims = ''] = authorization.replace('Bearer ', '').split('.')
  put('0001', { credential: claims })
  spool.start()
  await until(() => served.length === 1 || undefined)
  t.like(await whoIs(team, served[0]?.client), { actor: 'bob', role: 'agent', scope: { project: 'api' } })
})

test('revoked, unknown and forbidden keys and expired tokens serve nothing', async t => {
  const { team, put, spool, served, failed } = await openSpool(t)
  const revoked = await team.key({ name: 'old' })
  await team.call('DELETE /api/auth/keys/:idOrPrefix', {
    params: { idOrPrefix: revoked.id },
    headers: team.admin,
  })
  const reader = await team.key({ name: 'reader', permissions: ['recall'] })
  const { authorization } = team.token({ role: 'agent', exp: Date.parse(entry.time) / 1000 })
  put('0001', { credential: revoked.key.slice(0, 15) })
  put('0002', { credential: reader.key.slice(0, 15) })
  put('0003', { credential: 'svc_sk_nobodys1' })
  put('0004', { credential: authorization.replace('Bearer ', '').split('.')[0] })
  spool.start()
  await until(() => failed().length === 4 || undefined)
  t.is(served.length, 0)
})

test('a spool of 1,000 files accepts no more', async t => {
  const { deps, put, folder, waiting } = await openSpool(t)
  for (let n = 0; n < 1000; n++) t.true(put(`${1000 + n}`))
  t.false(put('2000'))
  spoolFailedHook(deps, entry)
  t.is(waiting().length, 1000)
  t.is(statSync(join(folder, '1000.json')).mode & 0o777, 0o600)
  t.is(statSync(folder).mode & 0o777, 0o700)
})

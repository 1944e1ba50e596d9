import test from 'ava'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'

const forgetOne = (
  { call }: TestDaemon,
  id: string,
  query: Record<string, string | number | boolean>,
  headers?: Record<string, string>,
) => call('DELETE /api/memory/:id', { params: { id }, query, ...(headers && { headers }) })

test('DELETE forgets softly and increments the version (rules.md 4.7)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('forget me')
  const { status, body } = await forgetOne(daemon, id, { reason: 'test' })
  t.is(status, 200)
  t.deepEqual(body as object, { id, status: 'deleted', currentVersion: 1, newVersion: 2 })
})

test('DELETE also reads its fields from the body (rules.md 4.7)', async t => {
  const { call, remember } = await startDaemon(t)
  const id = await remember('critical: forget me')
  const { body } = await call('DELETE /api/memory/:id', {
    params: { id },
    body: { reason: 'test', force: true, if_version: 1 },
  })
  t.is(body.status, 'deleted')
})

test('DELETE without a reason is refused (rules.md 4.7)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('keep me')
  const { status, body } = await forgetOne(daemon, id, {})
  t.is(status, 400)
  t.is(body.code, 'validation_failed')
  t.is((await daemon.call('GET /api/memory/:id', { params: { id } })).status, 200)
})

test('every outcome of DELETE has its status word and code (rules.md 4.7)', async t => {
  const daemon = await startDaemon(t)
  const plain = await daemon.remember('plain')
  const pinned = await daemon.remember('critical: pinned')
  const outcome = async (...args: Parameters<typeof forgetOne>) => {
    const { status, body } = await forgetOne(...args)
    if (status >= 400) t.is(body.code, body.status)
    return [status, body.status]
  }
  t.deepEqual(await outcome(daemon, 'nope', { reason: 'r' }), [404, 'not_found'])
  t.deepEqual(await outcome(daemon, plain, { reason: 'r', if_version: 7 }), [409, 'version_conflict'])
  t.deepEqual(await outcome(daemon, pinned, { reason: 'r' }), [409, 'pinned_requires_force'])
  const agent = { 'x-service-actor-type': 'agent' }
  t.deepEqual(await outcome(daemon, pinned, { reason: 'r', force: true }, agent), [
    403,
    'autonomous_force_denied',
  ])
  t.deepEqual(await outcome(daemon, pinned, { reason: 'r', force: true }), [200, 'deleted'])
  t.deepEqual(await outcome(daemon, pinned, { reason: 'r', force: true }), [409, 'already_deleted'])
})

test('recover restores a memory and its place in recall (rules.md 4.5)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('the lost sheep', { structured: { hints: ['missing animal'] } })
  await forgetOne(daemon, id, { reason: 'oops' })
  const { status, body } = await daemon.call('POST /api/memory/:id/recover', {
    params: { id },
    body: { reason: 'found', if_version: 2 },
  })
  t.is(status, 200)
  t.deepEqual(body as object, {
    id,
    status: 'recovered',
    currentVersion: 2,
    newVersion: 3,
    retentionDays: 30,
  })
  t.deepEqual(await daemon.recall('lost sheep'), [id])
  t.deepEqual(await daemon.recall('missing animal'), [id])
})

test('every outcome of recover has its status word (rules.md 4.5)', async t => {
  let now = new Date('2026-01-01T00:00:00Z')
  const daemon = await startDaemon(t, { clock: () => now })
  const recover = async (id: string, fields: { if_version?: number } = {}) => {
    const { status, body } = await daemon.call('POST /api/memory/:id/recover', {
      params: { id },
      body: { reason: 'r', ...fields },
    })
    return [status, body.status]
  }
  const id = await daemon.remember('temporal')
  t.deepEqual(await recover('nope'), [404, 'not_found'])
  t.deepEqual(await recover(id), [409, 'not_deleted'])
  await forgetOne(daemon, id, { reason: 'r' })
  t.deepEqual(await recover(id, { if_version: 1 }), [409, 'version_conflict'])
  now = new Date('2026-01-31T00:00:00Z')
  t.deepEqual(await recover(id), [200, 'recovered'])
  await forgetOne(daemon, id, { reason: 'r' })
  now = new Date('2026-03-02T00:00:01Z')
  t.deepEqual(await recover(id), [409, 'retention_expired'])
})

test('recover is refused while another memory has the same content', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('twin')
  await forgetOne(daemon, id, { reason: 'r' })
  await daemon.remember('Twin!')
  const { status, body } = await daemon.call('POST /api/memory/:id/recover', {
    params: { id },
    body: { reason: 'r' },
  })
  t.is(status, 409)
  t.is(body.status, 'duplicate_content_hash')
})

test('recover without a reason is refused (rules.md 4.5)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('x')
  const { status } = await daemon.call('POST /api/memory/:id/recover', { params: { id }, body: {} as never })
  t.is(status, 400)
})

test('a forget preview lists candidates and writes nothing (rules.md 4.8)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('critical: old router config')
  const { body } = await daemon.call('POST /api/memory/forget', {
    body: { mode: 'preview', query: 'router config' },
  })
  t.is(body.mode, 'preview')
  if (body.mode !== 'preview') return
  t.like(body, { count: 1, requiresConfirm: false })
  t.like(body.candidates[0], { id, pinned: 1, version: 1 })
  t.is((await daemon.call('GET /api/memory/:id', { params: { id } })).status, 200)
})

test('forget runs by ids, query or filter, with a status for each memory (rules.md 4.8)', async t => {
  const daemon = await startDaemon(t)
  const byId = await daemon.remember('one')
  const byQuery = await daemon.remember('the flaky test in checkout')
  const byFilter = await daemon.remember('three', { who: 'bot', tags: 'tmp', sourceType: 'import' })
  const pinned = await daemon.remember('critical: four')
  const execute = async (fields: object) => {
    const { body } = await daemon.call('POST /api/memory/forget', {
      body: { mode: 'execute', reason: 'r', ...fields },
    })
    return body.mode === 'execute' ? body : undefined
  }
  const ids = await execute({ ids: [byId, pinned, 'nope'] })
  t.like(ids, { requested: 3, deleted: 1 })
  t.deepEqual(
    ids?.results.map(({ status }) => status),
    ['deleted', 'pinned_requires_force', 'not_found'],
  )
  t.deepEqual(
    (await execute({ query: 'flaky checkout' }))?.results.map(({ id }) => id),
    [byQuery],
  )
  t.deepEqual(
    (await execute({ source_type: 'import', tags: 'tmp', who: 'bot' }))?.results.map(({ id }) => id),
    [byFilter],
  )
  t.is((await execute({ ids: [pinned], force: true }))?.deleted, 1)
})

for (const [what, body] of [
  ['without a selector', { mode: 'execute', reason: 'r' }],
  ['without a mode', { query: 'x' }],
  ['with an unknown mode', { mode: 'now', query: 'x' }],
  ['without a reason', { mode: 'execute', query: 'x' }],
  ['of more than 200 ids', { mode: 'preview', ids: Array.from({ length: 201 }, (_, n) => `m${n}`) }],
  ['with if_version', { mode: 'execute', query: 'x', reason: 'r', if_version: 1 }],
] as const)
  test(`forget ${what} is refused (rules.md 4.8)`, async t => {
    const { call } = await startDaemon(t)
    const reply = await call('POST /api/memory/forget', { body: body as never })
    t.is(reply.status, 400)
    t.is(reply.body.code, 'validation_failed')
  })

test('forgetting more than 25 memories needs the token of a preview of exactly these (rules.md 4.8)', async t => {
  let now = new Date('2026-01-01T00:00:00Z')
  const daemon = await startDaemon(t, { clock: () => now })
  for (let n = 0; n < 26; n++) await daemon.remember(`row ${n}`, { who: 'bulk' })
  const execute = (fields: object) =>
    daemon.call('POST /api/memory/forget', { body: { mode: 'execute', who: 'bulk', reason: 'r', ...fields } })
  const preview = async () => {
    const { body } = await daemon.call('POST /api/memory/forget', { body: { mode: 'preview', who: 'bulk' } })
    return body.mode === 'preview' ? body : t.fail() && undefined
  }
  const shown = await preview()
  t.like(shown, { count: 26, requiresConfirm: true })
  t.is((await execute({})).body.code, 'confirm_required')
  t.is((await execute({ confirm_token: '99999999999999.forged' })).body.code, 'confirm_invalid')
  now = new Date('2026-01-01T01:00:00Z')
  t.is((await execute({ confirm_token: shown?.confirmToken })).body.code, 'confirm_invalid')
  const fresh = await preview()
  await daemon.remember('row 26', { who: 'bulk' })
  t.is((await execute({ confirm_token: fresh?.confirmToken })).body.code, 'confirm_invalid')
  const { body } = await execute({ confirm_token: (await preview())?.confirmToken })
  t.is(body.mode === 'execute' && body.deleted, 27)
})

test('a token for a list of ids allows only previewed ids, whatever other ids are sent (rules.md 4.8)', async t => {
  const daemon = await startDaemon(t)
  const ids: string[] = []
  for (let n = 0; n < 28; n++) ids.push(await daemon.remember(`row ${n}`))
  await forgetOne(daemon, ids[0]!, { reason: 'gone before' })
  const ask = async (fields: object) =>
    (await daemon.call('POST /api/memory/forget', { body: fields as never })).body
  const named = [...ids, 'nope']
  const shown = await ask({ mode: 'preview', ids: named })
  if (shown.mode !== 'preview') return t.fail()
  t.like(shown, { count: 27, requiresConfirm: true })
  // The limit also applies to a list of ids.
  const few = await ask({ mode: 'preview', ids: ids.slice(1), limit: 2 })
  t.is(few.mode === 'preview' && few.count, 2)
  const gone = await ask({ mode: 'execute', ids: ids.slice(1), limit: 2, reason: 'r' })
  t.is(gone.mode === 'execute' && gone.deleted, 2)
  const rest = await ask({ mode: 'preview', ids: named })
  if (rest.mode !== 'preview') return t.fail()
  t.like(rest, { count: 25, requiresConfirm: false })
  const all = await ask({ mode: 'execute', ids: named, reason: 'r', confirm_token: rest.confirmToken })
  t.like(all, { requested: 29, deleted: 25 })
  t.is(all.mode === 'execute' && all.results.at(-1)?.status, 'not_found')
})

test('a batch accepts at most 200 candidates (rules.md 8)', async t => {
  const daemon = await startDaemon(t)
  await Promise.all(Array.from({ length: 205 }, (_, n) => daemon.remember(`bulk ${n}`, { who: 'bulk' })))
  const { body } = await daemon.call('POST /api/memory/forget', { body: { mode: 'preview', who: 'bulk' } })
  t.is(body.mode === 'preview' && body.count, 200)
})

test('an empty list of ids is ignored, and the other selectors apply (rules.md 4.8)', async t => {
  const { call, remember } = await startDaemon(t)
  await remember('row of the bot', { who: 'bot' })
  await remember('row of ann', { who: 'ann' })
  const { body } = await call('POST /api/memory/forget', { body: { mode: 'preview', ids: [], who: 'bot' } })
  t.is(body.mode === 'preview' && body.count, 1)
  const alone = await call('POST /api/memory/forget', { body: { mode: 'preview', ids: [] } })
  t.is(alone.status, 400)
})

import { writeFileSync } from 'node:fs'
import test from 'ava'
import { daemonChecks } from '../../../../../src/cli/operations/doctor/daemon-checks.js'
import type { DaemonStatus, DoctorContext } from '../../../../../src/cli/operations/doctor/finding.js'
import { doctorContext, fakeCall, healthyHandlers, healthyStatus } from './doctor-fakes.js'

const run = (id: string, context: DoctorContext, status: DaemonStatus = healthyStatus) =>
  daemonChecks.find(check => check.id === id)!.run(context, status)
const embedding = (fields: Partial<DaemonStatus['embedding']>): DaemonStatus => ({
  ...healthyStatus,
  embedding: { ...healthyStatus.embedding, available: false, ...fields },
})

test('a model that nobody asked for may be missing: recall works by words', async t => {
  const outcome = await run('embedding', await doctorContext(t), embedding({ state: 'missing' }))
  t.like(outcome, { severity: 'info', fix: 'memory embedding pull' })
  t.regex(outcome.evidence, /words only/)
})

for (const line of ['model: Xenova/gte-small', 'modelPath: /models/mine'])
  test(`a missing model is a warning where the settings name one: ${line}`, async t => {
    const context = await doctorContext(t)
    writeFileSync(context.paths.settings, `embedding:\n  ${line}\n`)
    const outcome = await run('embedding', context, embedding({ state: 'missing' }))
    t.like(outcome, { severity: 'warning', fix: 'memory embedding pull' })
  })

test('a provider that fails is a warning with its error', async t => {
  const status = embedding({ state: 'failing', error: 'connect ECONNREFUSED' })
  const outcome = await run('embedding', await doctorContext(t), status)
  t.like(outcome, { severity: 'warning', fix: 'memory embedding status' })
  t.regex(outcome.evidence, /ECONNREFUSED/)
})

test('a provider that is off by choice or on its way needs no action', async t => {
  const context = await doctorContext(t)
  t.is((await run('embedding', context, embedding({ state: 'off' }))).severity, 'info')
  const progress = { loadedBytes: 3 * 1024 ** 2, totalBytes: null, file: 'model.onnx' }
  const loading = await run('embedding', context, embedding({ state: 'downloading', progress }))
  t.is(loading.severity, 'info')
  t.regex(loading.evidence, /3\.0 MiB so far/)
})

test('memories that wait for their vectors are counted', async t => {
  const context = await doctorContext(t)
  const outcome = await run('vectors', context, embedding({ available: true, withoutVector: 1 }))
  t.like(outcome, { severity: 'info', evidence: '1 memory without a vector, being made in the background' })
})

test('frozen writes are a warning and the round trip is not tried', async t => {
  const status = { ...healthyStatus, pipeline: { mode: 'frozen' as const, mutationsFrozen: true } }
  const context = await doctorContext(t, { call: fakeCall({}) })
  t.is((await run('writes', context, status)).severity, 'warning')
  t.like(await run('round-trip', context, status), {
    severity: 'info',
    evidence: 'not tried: writes are frozen',
  })
})

test('a disk without room is an error that says what to do, and the round trip is not tried', async t => {
  const storage = { writable: false, problem: 'the disk is full', damage: [] }
  const status = { ...healthyStatus, storage }
  const context = await doctorContext(t, { call: fakeCall({}) })
  const outcome = await run('database', context, status)
  t.like(outcome, { severity: 'error', evidence: 'the disk is full: nothing can be saved, reads go on' })
  t.is(outcome.fix, `make room on the disk of ${context.paths.root}; nothing needs to be restarted`)
  t.like(await run('round-trip', context, status), {
    severity: 'info',
    evidence: 'not tried: the disk is full',
  })
})

test('a damaged database is an error with the way to a whole one', async t => {
  const storage = { writable: true, damage: ['memories: Tree 5 page 7: never used'] }
  const context = await doctorContext(t, { call: fakeCall({}) })
  const outcome = await run('database', context, { ...healthyStatus, storage })
  t.like(outcome, { severity: 'error', evidence: 'damaged: memories: Tree 5 page 7: never used' })
  t.regex(outcome.fix ?? '', /memory export .* memory import/)
})

test('a daemon of an older release that says nothing of its disk is asked whether it is ready', async t => {
  const { storage: _storage, ...older } = healthyStatus
  const call = fakeCall(healthyHandlers())
  const outcome = await run('database', await doctorContext(t, { call }), older as DaemonStatus)
  t.is(outcome.severity, 'ok')
})

test('a database that is not ready is an error with its detail', async t => {
  const ok = { ok: true }
  const checks = { database: { ok: false, detail: 'malformed' }, index: ok, embedding: ok, migrations: ok }
  const call = fakeCall({ ...healthyHandlers(), 'GET /health/ready': () => ({ ready: false, checks }) })
  t.like(await run('database', await doctorContext(t, { call })), {
    severity: 'error',
    evidence: 'not ready: database: malformed',
  })
})

test('the round trip is timed and leaves nothing behind', async t => {
  const handlers = healthyHandlers()
  const clock = [0, 2, 5, 9]
  const context = await doctorContext(t, { call: fakeCall(handlers), now: () => clock.shift()! })
  t.like(await run('round-trip', context), {
    severity: 'ok',
    evidence: 'saved in 2.0 ms, recalled in 3.0 ms, forgotten in 4.0 ms',
  })
  t.deepEqual(handlers['POST /api/memory/recall']!({}), { results: [] })
})

test('the round trip is private, in a scope of its own, and asks in that scope', async t => {
  const bodies: Array<Record<string, unknown>> = []
  const handlers = healthyHandlers()
  const { 'POST /api/memory/remember': save, 'POST /api/memory/recall': recall } = handlers
  handlers['POST /api/memory/remember'] = request => {
    bodies.push(request.body as Record<string, unknown>)
    return save!(request)
  }
  handlers['POST /api/memory/recall'] = request => {
    bodies.push(request.body as Record<string, unknown>)
    return recall!(request)
  }
  await run('round-trip', await doctorContext(t, { call: fakeCall(handlers) }))
  t.is(bodies[0]!.visibility, 'private')
  t.regex(String(bodies[0]!.scope), /^doctor-/)
  t.is(bodies[1]!.scope, bodies[0]!.scope)
})

test('a memory that recall misses is forgotten all the same', async t => {
  const forgotten: unknown[] = []
  const call = fakeCall({
    ...healthyHandlers(),
    'POST /api/memory/recall': () => ({ results: [] }),
    'DELETE /api/memory/:id': request => forgotten.push(request.params),
  })
  const outcome = await run('round-trip', await doctorContext(t, { call }))
  t.like(outcome, { severity: 'error', evidence: 'saved m1, but recall does not find it' })
  t.deepEqual(forgotten, [{ id: 'm1' }])
})

for (const [state, severity, evidence] of [
  ['open', 'ok', '2 secrets, the store opens, its key in the keychain'],
  ['locked', 'warning', 'it is locked (its key in the keychain)'],
  ['unavailable', 'error', 'it is locked (its key in the keychain)'],
  ['damaged', 'error', 'it is locked (its key in the keychain)'],
] as const)
  test(`a store of secrets that is ${state} is ${severity}`, async t => {
    const problem = state === 'open' ? null : 'it is locked'
    const status = { state, source: 'keychain', secrets: 2, problem }
    const call = fakeCall({ ...healthyHandlers(), 'GET /api/secrets/store/status': () => status })
    t.like(await run('secrets', await doctorContext(t, { call })), { severity, evidence })
  })

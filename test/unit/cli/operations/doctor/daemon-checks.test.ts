import test from 'ava'
import { checkCode, daemonChecks } from '../../../../../src/cli/operations/doctor/daemon-checks.js'
import type { DaemonStatus, DoctorContext } from '../../../../../src/cli/operations/doctor/finding.js'
import { doctorContext, fakeCall, healthyHandlers, healthyStatus } from './doctor-fakes.js'

const run = (id: string, context: DoctorContext, status: DaemonStatus = healthyStatus) =>
  daemonChecks.find(check => check.id === id)!.run(context, status)
test('the round trip is skipped while writes are frozen', async t => {
  const context = await doctorContext(t, { call: fakeCall({}) })
  const frozen = { ...healthyStatus, pipeline: { mode: 'frozen' as const, mutationsFrozen: true } }
  t.like(await run('round-trip', context, frozen), {
    severity: 'info',
    evidence: 'skipped: writes are frozen',
  })
  const storage = { writable: false, problem: 'the disk is full', damage: [] }
  t.like(await run('round-trip', context, { ...healthyStatus, storage }), {
    severity: 'info',
    evidence: 'skipped: the disk is full',
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

test('the round trip is private, and recalls in its own scope', async t => {
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

test('the round trip forgets its memory even if recall misses it', async t => {
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
  ['open', 'ok', '2 secrets, store unlocked, key in the keychain'],
  ['locked', 'warning', 'it is locked (key in the keychain)'],
  ['unavailable', 'error', 'it is locked (key in the keychain)'],
  ['damaged', 'error', 'it is locked (key in the keychain)'],
] as const)
  test(`a ${state} secret store is ${severity}`, async t => {
    const problem = state === 'open' ? null : 'it is locked'
    const status = { state, source: 'keychain', secrets: 2, problem }
    const call = fakeCall({ ...healthyHandlers(), 'GET /api/secrets/store/status': () => status })
    t.like(await run('secrets', await doctorContext(t, { call })), { severity, evidence })
  })

const plugin = { id: 'service.codeindex', state: 'active' }

const memory = {
  id: 'm1',
  content: 'Cranes are opened by openStore.',
  project: '/shop',
  moved: [{ kind: 'symbol', target: 'openStore', path: 'src/store.ts', state: 'gone', since: 'then' }],
}

test('memories about moved code are listed; with a disabled plugin nothing is requested (code-index.md 11)', async t => {
  const asked: string[] = []
  const check = async (state: string, memories: readonly object[]) => {
    const call = fakeCall({
      ...healthyHandlers(),
      'GET /api/plugins': () => ({ plugins: [{ ...plugin, state }] }) as never,
      'GET /api/code/moved': () => {
        asked.push(state)
        return { memories, count: memories.length } as never
      },
    })
    return checkCode(await doctorContext(t, { call }))
  }
  t.like(await check('disabled', [memory]), { severity: 'ok', evidence: 'the code index is off' })
  t.deepEqual(asked, [])
  t.like(await check('active', []), { severity: 'ok' })
  const found = await check('active', [memory, { ...memory, id: 'm2' }])
  t.is(found.severity, 'info')
  t.regex(found.evidence, /^2 memories refer to code that has changed: m1 "Cranes.*" \(openStore gone\); m2/u)
})

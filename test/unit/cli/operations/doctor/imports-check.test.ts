import test, { type ExecutionContext } from 'ava'
import { checkImports } from '../../../../../src/cli/operations/doctor/imports-check.js'
import { doctorContext, fakeCall } from './doctor-fakes.js'

const done = { id: 'i1', state: 'completed', error: null, updatedAt: '2020-01-01T00:00:00.000Z' }

async function check(t: ExecutionContext, ...jobs: object[]) {
  const call = fakeCall({ 'GET /api/sources/imports': () => ({ jobs }) as never })
  return checkImports(await doctorContext(t, { call }))
}

test('imports that are done, or begun a moment ago, need nothing', async t => {
  const begun = { ...done, state: 'staging', updatedAt: new Date().toISOString() }
  t.deepEqual(await check(t, done, begun), { severity: 'ok', evidence: '2 imports' })
})

test('an import that failed or is interrupted is a warning with its reason', async t => {
  for (const state of ['failed', 'interrupted'])
    t.deepEqual(await check(t, done, { ...done, id: 'i2', state, error: 'the disk is full' }), {
      severity: 'warning',
      evidence: `1 of 2 imports not in order, i2 ${state}: the disk is full`,
      fix: 'memory imports retry i2',
    })
})

test('an upload that nobody goes on with holds room on the disk', async t => {
  t.like(await check(t, { ...done, state: 'staging' }), {
    severity: 'warning',
    fix: 'memory imports cancel i1',
  })
})

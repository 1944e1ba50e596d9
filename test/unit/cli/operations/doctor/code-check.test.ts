import test from 'ava'
import { checkCode } from '../../../../../src/cli/operations/doctor/code-check.js'
import { doctorContext, fakeCall, healthyHandlers } from './doctor-fakes.js'

const plugin = { id: 'service.codeindex', state: 'active' }
const memory = {
  id: 'm1',
  content: 'Cranes are opened by openStore.',
  project: '/shop',
  moved: [{ kind: 'symbol', target: 'openStore', path: 'src/store.ts', state: 'gone', since: 'then' }],
}

test('memories whose code moved are named; while the plugin is off nothing is asked (code-index.md 11)', async t => {
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
  t.regex(found.evidence, /^2 memories name code that changed since: m1 "Cranes.*" \(openStore gone\); m2/u)
})

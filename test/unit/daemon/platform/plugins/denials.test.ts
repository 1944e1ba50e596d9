import test from 'ava'
import { createDenials } from '../../../../../src/daemon/platform/plugins/plugins.js'
import { manualTime } from '../../../../helpers/manual-time.js'

const use = { id: 'service.codeindex', capability: 'code:read' } as const
const asking = { actor: 'ada', route: 'GET /api/code/search' }

test('repeated denials are recorded once a minute with a count', t => {
  const { clock, advance } = manualTime()
  const denials = createDenials(clock)
  t.like(denials.note(use, asking, 'it is off'), { event: 'plugin.capability_denied', result: 'denied' })
  for (let call = 0; call < 1000; call++) t.is(denials.note(use, asking, 'it is off'), undefined)
  advance(60_000)
  t.is(denials.note(use, asking, 'it is off')?.data?.repeatsBefore, 1000)
  advance(60_000)
  t.is(denials.note(use, asking, 'it is off')?.data?.repeatsBefore, undefined)
})

test('a denial of another route is recorded separately', t => {
  const denials = createDenials(manualTime().clock)
  denials.note(use, asking, 'it is off')
  t.not(denials.note(use, { ...asking, route: 'GET /api/code/status' }, 'it is off'), undefined)
})

test('denials counted but not recorded are reported at the end', t => {
  const denials = createDenials(manualTime().clock)
  denials.note(use, asking, 'it is off')
  t.deepEqual(denials.rest(), [])
  denials.note(use, asking, 'it is off')
  t.is(denials.rest()[0]?.data?.repeatsBefore, 1)
})

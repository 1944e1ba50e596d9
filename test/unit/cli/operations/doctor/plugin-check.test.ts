import test, { type ExecutionContext } from 'ava'
import { checkPlugins } from '../../../../../src/cli/operations/doctor/plugin-check.js'
import { doctorContext, fakeCall, healthyHandlers } from './doctor-fakes.js'

const active = {
  id: 'service.secrets',
  bundled: true,
  state: 'active',
  reason: null,
  enabled: true,
  pendingCapabilities: [] as string[],
}

async function check(t: ExecutionContext, ...plugins: object[]) {
  const call = fakeCall({ ...healthyHandlers(), 'GET /api/plugins': () => ({ plugins }) as never })
  return checkPlugins(await doctorContext(t, { call }))
}

test('plugins that are on or switched off need nothing', async t => {
  const off = { ...active, id: 'service.codeindex', state: 'disabled', enabled: false }
  t.deepEqual(await check(t, off, active), {
    severity: 'ok',
    evidence: 'service.codeindex is disabled, service.secrets is active',
  })
})

test('a degraded plugin is a warning with its reason', async t => {
  t.deepEqual(await check(t, { ...active, state: 'degraded', reason: 'the store is damaged' }), {
    severity: 'warning',
    evidence: 'service.secrets is degraded: the store is damaged',
    fix: 'memory plugins show service.secrets',
  })
})

test('a plugin that a broken registry blocked is a warning that names the decision', async t => {
  const reason = 'the registry of plugins was broken and set aside as registry.json.broken-1'
  t.like(await check(t, { ...active, state: 'blocked', enabled: false, reason }), {
    severity: 'warning',
    fix: 'memory plugins enable service.secrets (or disable service.secrets)',
  })
})

test('a plugin that waits for a grant is worth knowing', async t => {
  t.like(await check(t, { ...active, pendingCapabilities: ['secrets:new'] }), {
    severity: 'info',
    evidence: 'service.secrets was not granted secrets:new',
  })
})

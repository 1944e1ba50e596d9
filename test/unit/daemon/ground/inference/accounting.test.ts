import test from 'ava'
import { SessionCosts } from '../../../../../src/daemon/ground/inference/accounting.js'
import type { ModelUsage } from '../../../../../src/daemon/ground/inference/inference.js'

const session = { agentId: 'maya', sessionKey: 'one' }
const spent: ModelUsage = {
  calls: 1,
  inputTokens: 100,
  outputTokens: 10,
  cacheReadTokens: 40,
  cacheWriteTokens: null,
  tokenCoverage: 'provider_reported',
  cost: 0.25,
  costCoverage: 'configured_rate',
}

test('model costs of a session are summed until it ends (telemetry.md 3)', t => {
  const costs = new SessionCosts()
  t.like(costs.of(session), { inputTokens: 0, cost: 0, coverage: 'local_zero_cost' })
  t.like(costs.of(undefined), { inputTokens: 0, cost: 0 })
  costs.add(session, spent)
  costs.add(session, spent)
  costs.add({ ...session, agentId: 'noor' }, spent)
  t.like(costs.of(session), { inputTokens: 200, outputTokens: 20, cost: 0.5, coverage: 'configured_rate' })
  costs.add(session, { ...spent, costCoverage: 'provider_reported' })
  t.is(costs.of(session).coverage, 'mixed')
  costs.forget(session)
  t.is(costs.of(session).inputTokens, 0)
  t.is(costs.of({ ...session, agentId: 'noor' }).inputTokens, 100)
})

test('beyond the limit the least recently used sessions are dropped', t => {
  const costs = new SessionCosts()
  const add = (key: number) => costs.add({ agentId: 'a', sessionKey: String(key) }, spent)
  for (let key = 0; key < 1000; key++) add(key)
  add(0)
  add(1000)
  t.is(costs.of({ agentId: 'a', sessionKey: '0' }).calls, 2)
  t.is(costs.of({ agentId: 'a', sessionKey: '1' }).calls, 0)
  t.is(costs.of({ agentId: 'a', sessionKey: '1000' }).calls, 1)
})

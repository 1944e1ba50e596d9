// runs: in turn

import test, { type ExecutionContext } from 'ava'
import { render } from 'ink-testing-library'
import type { Proposal } from '../../../../../src/cli/knowledge/ontology/proposals.js'
import { type Decision, ProposalsScreen } from '../../../../../src/cli/tui/proposals.js'

const proposal = (id: string, fields: Partial<Proposal> = {}): Proposal => ({
  id,
  status: 'blocked',
  operation: 'assert_claim',
  payload: { entity: 'e1', aspect: 'deployment', claim: 'database', value: `MySQL ${id}` },
  names: { e1: 'Orion' },
  reason: 'said so',
  confidence: 0.9,
  project: null,
  blockedReason: 'different_value',
  contradictionRisk: true,
  proposedBy: 'dreaming',
  createdAt: '2026-01-01T00:00:00.000Z',
  decidedAt: null,
  decidedBy: null,
  decidedReason: null,
  evidence: [
    {
      sourceKind: 'memory',
      sourceId: 'm1',
      quote: 'on MySQL',
      start: 0,
      end: 8,
      state: 'stands',
      matches: true,
    },
  ],
  before: 'Postgres',
  ...fields,
})

function open(t: ExecutionContext, refuse?: string) {
  const sent: Decision[] = []
  const send = async (decision: Decision) => {
    if (decision.id === refuse) throw new Error('it waits for no decision any more')
    sent.push(decision)
  }
  const proposals = [proposal('a'), proposal('b'), proposal('c')]
  const screen = render(<ProposalsScreen proposals={proposals} color={false} send={send} />)
  t.teardown(screen.unmount)
  const frame = () => screen.lastFrame() ?? ''
  const press = async (...keys: string[]) => {
    await until(() => screen.stdin.listenerCount('readable') > 0)
    for (const key of keys) {
      screen.stdin.write(key)
      await turns(5)
    }
  }
  return { sent, frame, press }
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(resolve => setImmediate(resolve))
}

async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1000 && !condition(); turn++) await turns(1)
}

test('the change is shown beside its evidence', t => {
  const { frame } = open(t)
  t.regex(frame(), /1 of 3 {2}Add fact {2}contradicts the current value {2}confidence 0\.90/)
  t.regex(frame(), /^- Postgres$/m)
  t.regex(frame(), /^\+ Orion > deployment > database: MySQL a$/m)
  t.regex(frame(), /"on MySQL" {2}memory m1, unchanged/)
})

test('a decision is sent together with the next one and can be undone until then', async t => {
  const { sent, frame, press } = open(t)
  await press('a')
  t.deepEqual(sent, [])
  t.regex(frame(), /2 of 3/)
  await press('u')
  t.regex(frame(), /1 of 3[\s\S]*Undone/)
  await press('r', 's', 'a')
  t.deepEqual(sent, [{ id: 'a', verb: 'reject' }])
  await press('u', 'u')
  t.regex(frame(), /3 of 3[\s\S]*Nothing to undo/)
  await press('a', 'q')
  t.deepEqual(sent.at(-1), { id: 'c', verb: 'apply' })
})

test('a refused decision is reported, and the others continue', async t => {
  const { sent, frame, press } = open(t, 'a')
  await press('a', 'a')
  t.regex(frame(), /it waits for no decision any more/)
  await press('q')
  t.deepEqual(sent, [{ id: 'b', verb: 'apply' }])
})

import test, { type ExecutionContext } from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { openRaw } from '../../helpers/store.js'

/**
 * Saves a global and a private row for each agent: ann and bob (group web), cas (group ops), dan alone, eve
 * isolated.
 */
async function startTeam(t: ExecutionContext) {
  const daemon = await startDaemon(t)
  const raw = openRaw(t, daemon.paths.database)
  const agents = [
    ['ann', 'group', 'web'],
    ['bob', 'group', 'web'],
    ['cas', 'group', 'ops'],
    ['dan', 'shared', null],
    ['eve', 'isolated', null],
  ] as const
  for (const [agentId, policy, group] of agents) {
    await daemon.remember(`build note of ${agentId}`, { agentId, who: agentId })
    await daemon.remember(`build secret of ${agentId}`, {
      agentId,
      who: `${agentId}!`,
      visibility: 'private',
    })
    raw
      .prepare('UPDATE agents SET read_policy = ?, policy_group = ? WHERE id = ?')
      .run(policy, group, agentId)
  }
  /** The authors of the recalled rows, alphabetically; `!` marks private rows. */
  const sees = async (fields: Parameters<typeof daemon.recall>[1]): Promise<string> => {
    const { body } = await daemon.call('POST /api/memory/recall', {
      body: { query: 'build note secret', score_min: 0, ...fields },
    })
    return body.results
      .map(row => row.who)
      .sort()
      .join(' ')
  }
  return { ...daemon, raw, sees }
}

const everybody = (agent: string) => ['ann', 'bob', 'cas', 'dan', 'eve', `${agent}!`].sort().join(' ')

test('a named agent without a policy recalls only its own rows (recall.md 1.3.2)', async t => {
  const { sees } = await startTeam(t)
  for (const agentId of ['ann', 'dan', 'eve']) t.is(await sees({ agentId }), `${agentId} ${agentId}!`)
})

test('policy shared adds the global rows of all agents, group those of the group (recall.md 1.3.2)', async t => {
  const { sees } = await startTeam(t)
  t.is(await sees({ agentId: 'dan', readPolicy: 'shared' }), everybody('dan'))
  t.is(await sees({ agentId: 'ann', readPolicy: 'group' }), 'ann ann! bob')
  t.is(await sees({ agentId: 'dan', readPolicy: 'group', policyGroup: 'web' }), 'ann bob dan dan!')
  t.is(await sees({ agentId: 'dan', readPolicy: 'group' }), 'dan dan!')
  t.is(await sees({ policyGroup: 'ops' }), 'cas')
})

test('a requested policy never widens the agent’s own (recall.md 1.3.2)', async t => {
  const { sees } = await startTeam(t)
  t.is(await sees({ agentId: 'eve', readPolicy: 'shared' }), 'eve eve!')
  t.is(await sees({ agentId: 'eve', readPolicy: 'group', policyGroup: 'web' }), 'eve eve!')
  t.is(await sees({ agentId: 'ann', readPolicy: 'shared' }), 'ann ann! bob')
  t.is(await sees({ agentId: 'ann', readPolicy: 'group', policyGroup: 'ops' }), 'ann ann!')
  t.is(await sees({ agentId: 'ann', readPolicy: 'shared', policyGroup: 'ops' }), 'ann ann!')
})

test('archived rows of a removed agent are never recalled (rules.md 2.1)', async t => {
  const { raw, sees } = await startTeam(t)
  raw.prepare("UPDATE memories SET visibility = 'archived' WHERE agent_id = 'cas'").run()
  t.is(await sees({ agentId: 'dan', readPolicy: 'shared' }), everybody('dan').replace('cas ', ''))
  t.is(await sees({ agentId: 'cas' }), '')
})

import type { ExecutionContext } from 'ava'
import { capture } from './captures.js'
import { operation, perform } from './ontology.js'
import { askServer } from './postgres.js'
import { readText } from './read-documents.js'
import type { Team } from './team.js'

export const agents = ['ada', 'bo', 'cy'] as const
/** The agent that credentials of the test are confined beside; the others need fewer rows. */
const most = 'bo'
const projectsOf = (agent: string) => ['shop', undefined, ...(agent === most ? ['till'] : [])]

const at = '2026-01-01T00:00:00.000Z'
const noWork = JSON.stringify({ tools: [], files: [], commands: [], commits: [], failed: 0 })

/** Ids of rows of each kind that a reader may ask for. */
export interface GuardedIds {
  memories: string[]
  entities: string[]
  documents: string[]
  summaries: string[]
  captures: string[]
  sessions: string[]
}

/**
 * Fills each kind of row that a reader may not see: memories, facts from memories, conversations and
 * summaries, proposals, documents, sessions and their work; of three agents, in two projects and in none.
 */
export async function fillGuarded(t: ExecutionContext, team: Team, url: string): Promise<GuardedIds> {
  const headers = team.admin
  const call = ((address, request) =>
    team.call(address, { ...request, headers: { ...headers, ...request?.headers } })) as Team['call']
  const daemon = { ...team, call }
  for (const name of agents) t.is((await call('POST /api/agents', { body: policyOf(name) })).status, 201)
  for (const agent of agents)
    for (const project of projectsOf(agent)) {
      await statements(daemon, agent, project)
      await session(daemon, agent, project, url)
      await documents(daemon, team, agent, project)
    }
  const ids = async (column: string, table: string) =>
    (await askServer(url, `SELECT DISTINCT ${column} AS id FROM memory.${table} ORDER BY 1`)).map(({ id }) =>
      String(id),
    )
  return {
    memories: await ids('id', 'memories'),
    entities: await ids('id', 'entities'),
    documents: await ids('id', 'documents'),
    summaries: await ids('id', 'temporal_nodes'),
    captures: await ids('id', 'transcript_captures'),
    sessions: await ids('session_key', 'sessions'),
  }
}

function policyOf(name: (typeof agents)[number]) {
  if (name === 'ada') return { name, read_policy: 'isolated' as const, policy_group: 'yard' }
  if (name === 'bo') return { name, read_policy: 'shared' as const }
  return { name, read_policy: 'group' as const, policy_group: 'yard' }
}

/** A global and a private memory, one of them by an author, with values, links and a proposal from each. */
async function statements({ call }: Pick<Team, 'call'>, agent: string, project: string | undefined) {
  const place = project ?? 'yard'
  for (const visibility of ['global', 'private'] as const) {
    const content = `The ${place} gate of ${agent} is ${visibility}.`
    const body = {
      content,
      agentId: agent,
      project,
      visibility,
      ...(visibility === 'global' && { who: 'maya' }),
    }
    const { id } = (await call('POST /api/memory/remember', { body })).body
    const from = { [id]: content }
    const value = { aspect: 'state', claim: `${place} ${visibility}`, value: content }
    const operations = [
      operation('assert_claim', { ...value, entity: 'Gate', entityType: 'thing' }, from),
      operation(
        'link',
        { from: 'Gate', relation: 'leads to', to: `${place} ${visibility}`, toType: 'place' },
        from,
      ),
      ...(visibility === 'private'
        ? [operation('create_entity', { name: `Only ${place}`, type: 'place' }, from)]
        : []),
    ]
    await performed({ call }, operations, { agentId: agent, project })
    const proposal = operation(
      'assert_claim',
      { ...value, entity: 'Gate', value: `${content} Or not.` },
      from,
    )
    await performed({ call }, [proposal], { agentId: agent, project, mode: 'propose' })
  }
}

/** A live session with work, and an ended one whose conversation and summaries are sources of facts. */
async function session(daemon: Team, agent: string, project: string | undefined, url: string) {
  const { call } = daemon
  const place = project ?? 'yard'
  const fields = { harness: 'claude-code', agentId: agent, project }
  const said = `the ${place} crane of ${agent} squeaks`
  const live = `live-${agent}-${place}`
  await call('POST /api/hooks/session-start', { body: { ...fields, sessionKey: live } })
  await call('POST /api/hooks/user-prompt-submit', {
    body: { ...fields, sessionKey: live, userMessage: `what does ${said}` },
  })
  const key = `told-${agent}-${place}`
  await capture(daemon, { ...fields, sessionKey: key, transcript: `user: ${said}\nassistant: oil it` })
  const summary = { ...fields, sessionKey: key, summary: `In short, ${said}.` }
  await call('POST /api/hooks/compaction-complete', { body: summary })
  const [node] = await askServer(
    url,
    `SELECT id FROM memory.temporal_nodes WHERE agent_id = '${agent}' AND session_key = '${key}' AND kind = 'compaction'`,
  )
  for (const [sourceKind, sourceId] of [
    ['transcript', key],
    ['summary', String(node?.id)],
  ] as const) {
    const payload = {
      entity: 'Crane',
      entityType: 'thing',
      aspect: 'state',
      claim: `${place} ${sourceKind}`,
      value: said,
    }
    const one = { ...operation('assert_claim', payload), evidence: [{ sourceKind, sourceId, quote: said }] }
    await performed(daemon, [one], { agentId: agent, project })
  }
  const turn = { turn: 0, project: project ?? null, at, asked: said, work: noWork, tests: null }
  const name = { agentId: agent, sessionKey: live }
  const row = { agent_id: agent, session_key: live, ...turn }
  const file = { agent_id: agent, session_key: live, turn: 0, at, path: '/work/crane.ts', changed: 1 }
  await daemon.daemon.store.transaction(({ sessionTurns }) => sessionTurns.put(name, [row], [file]))
}

async function documents(daemon: Team, { call, token }: Team, agent: string, project: string | undefined) {
  const place = project ?? 'yard'
  const fields = { agentId: agent, project }
  await readText(daemon, `# Cranes\n\nThe ${place} crane of ${agent} lifts ten tons.`, fields)
  const headers = token({ role: 'agent', scope: { user: 'maya' } })
  const own = {
    ...daemon,
    call: ((address, request) => call(address, { ...request, headers })) as Team['call'],
  }
  await readText(own, `# Maya\n\nThe ${place} crane of ${agent} is red.`, fields)
}

async function performed(...[daemon, operations, named]: Parameters<typeof perform>): Promise<void> {
  for (const result of await perform(daemon, operations, named))
    if (!['applied', 'proposed', 'blocked'].includes(result.status))
      throw new Error(`an operation is not applied: ${JSON.stringify(result)}`)
}

import test, { type ExecutionContext } from 'ava'
import type { Request } from '../../../src/contract/api.js'
import { settingsWithVectors } from '../../helpers/call-every-route.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { startSession } from '../../helpers/hooks.js'
import { callTool, connectHttp } from '../../helpers/mcp.js'

type Policy = NonNullable<NonNullable<Request<'POST /api/agents'>['body']>['read_policy']>

/** Every agent writes; the first four also read. */
const agents: Readonly<Record<string, { policy: Policy; group?: string }>> = {
  alone: { policy: 'isolated' },
  open: { policy: 'shared' },
  weaver: { policy: 'group', group: 'web' },
  mixed: { policy: 'shared', group: 'web' },
  keeper: { policy: 'group', group: 'ops' },
}
const readers = ['alone', 'open', 'weaver', 'mixed'] as const
const visibilities = ['global', 'private', 'archived'] as const

interface Cell {
  author: string
  visibility: (typeof visibilities)[number]
  content: string
  id: string
}

/** Returns whether a reader may see a memory, from the table of docs/agents.md. */
function isVisible(reader: string, { author, visibility }: Cell): boolean {
  if (visibility === 'archived') return false
  if (author === reader) return true
  if (visibility === 'private') return false
  const { policy, group } = agents[reader] as (typeof agents)[string]
  if (policy === 'shared') return true
  return policy === 'group' && agents[author]?.group === group
}

/** A request that names an agent without a policy returns only that agent's memories. */
function isOwn(reader: string, { author, visibility }: Cell): boolean {
  return author === reader && visibility !== 'archived'
}

async function startTable(t: ExecutionContext): Promise<{ daemon: TestDaemon; cells: Cell[] }> {
  const auth = { rateLimits: { admin: { max: 1000 } } }
  const hooks = { preCompaction: { memoryLimit: 100 } }
  const settings = { ...(await settingsWithVectors(t)), auth, hooks }
  const daemon = await startDaemon(t, { settings })
  const cells: Cell[] = []
  const save = async (author: string, visibility: Cell['visibility']): Promise<void> => {
    const content = `harbour crane rule of ${author} ${visibility}`
    const told = visibility === 'private' ? 'private' : 'global'
    const id = await daemon.remember(content, {
      agentId: author,
      visibility: told,
      type: 'rule',
      who: content,
    })
    cells.push({ author, visibility, content, id })
  }
  for (const author of Object.keys(agents)) await save(author, 'archived')
  for (const name of Object.keys(agents)) {
    await daemon.call('DELETE /api/agents/:name', { params: { name } })
    const { policy, group } = agents[name] as (typeof agents)[string]
    const body = { name, read_policy: policy, policy_group: group }
    t.is((await daemon.call('POST /api/agents', { body })).status, 201)
  }
  for (const author of Object.keys(agents))
    for (const visibility of ['global', 'private'] as const) await save(author, visibility)
  await until(async () => {
    const { body } = await daemon.call('GET /api/status')
    return body.embedding.withoutVector === 0 || undefined
  })
  return { daemon, cells }
}

/** One route: returns everything it showed a reader, as text or as memory ids. */
type Ask = (daemon: TestDaemon, reader: string, cells: readonly Cell[]) => Promise<string>

const query = 'harbour crane rule'
const limit = 50
const text = (body: unknown): string => JSON.stringify(body)

/** Requests each memory by its id. @returns the contents of those that were answered. */
async function readableContents(
  cells: readonly Cell[],
  ask: (id: string) => Promise<boolean>,
): Promise<string> {
  const told: string[] = []
  for (const { id, content } of cells) if (await ask(id)) told.push(content)
  return told.join('\n')
}

const byId =
  (address: 'GET /api/memory/:id' | 'GET /api/memory/:id/history' | 'GET /api/memory/:id/lineage'): Ask =>
  ({ call }, agentId, cells) =>
    readableContents(
      cells,
      async id => (await call(address, { params: { id }, query: { agentId } })).status === 200,
    )

/** Routes that show everything an agent may read. */
const widest: Readonly<Record<string, Ask>> = {
  recall: async ({ call }, agentId) =>
    text(
      (
        await call('POST /api/memory/recall', {
          body: { query, agentId, readPolicy: 'shared', limit, score_min: 0 },
        })
      ).body.results,
    ),
  'recall by GET': async ({ call }, agentId) =>
    text(
      (await call('GET /api/memory/search', { query: { q: query, agentId, readPolicy: 'shared', limit } }))
        .body,
    ),
  list: async ({ call }, agentId) => text((await call('GET /api/memories', { query: { agentId } })).body),
  get: byId('GET /api/memory/:id'),
  history: byId('GET /api/memory/:id/history'),
  lineage: byId('GET /api/memory/:id/lineage'),
  vectors: async ({ call }, agentId) =>
    text((await call('GET /api/embeddings', { query: { agentId } })).body),
  export: async ({ url }, agentId) =>
    (await fetch(`${url}/api/export?agentId=${agentId}&deleted=true`)).text(),
  'session start': async (daemon, agentId) =>
    text(await startSession(daemon, { agentId, sessionKey: agentId })),
  'pre-compaction': async ({ call }, agentId) =>
    text(
      (await call('POST /api/hooks/pre-compaction', { body: { harness: 'codex', agentId } as never })).body,
    ),
  synthesis: async ({ call }, agentId) =>
    text((await call('POST /api/hooks/synthesis', { body: { agentId } })).body),
}

/** Routes that show only an agent's own memories unless asked for more. */
const narrow: Readonly<Record<string, Ask>> = {
  'recall without a policy': async ({ call }, agentId) =>
    text(
      (await call('POST /api/memory/recall', { body: { query, agentId, limit, score_min: 0 } })).body.results,
    ),
  'search by words': async ({ call }, agentId) =>
    text((await call('GET /memory/search', { query: { q: query, agentId, limit } })).body),
  'search by filter': async ({ call }, agentId) =>
    text((await call('GET /memory/search', { query: { agentId, limit } })).body),
  authors: async ({ call }, agentId) =>
    text((await call('GET /memory/search', { query: { distinct: 'who', agentId } })).body),
  'recall hook': async ({ call }, agentId) =>
    text(
      (await call('POST /api/hooks/recall', { body: { harness: 'codex', query, agentId, limit } })).body
        .results,
    ),
  similar: async ({ call }, agentId, cells) => {
    const anchor = cells.find(
      ({ author, visibility }) => author === agentId && visibility === 'private',
    ) as Cell
    const { body } = await call('GET /memory/similar', { query: { id: anchor.id, agentId, k: limit } })
    return text([body, anchor.content])
  },
}

async function walk(
  t: ExecutionContext,
  routes: Readonly<Record<string, Ask>>,
  isToSee: (reader: string, cell: Cell) => boolean,
): Promise<void> {
  const { daemon, cells } = await startTable(t)
  for (const [route, ask] of Object.entries(routes))
    for (const reader of readers) {
      const told = await ask(daemon, reader, cells)
      for (const cell of cells) {
        const expected = isToSee(reader, cell)
        const what = `${route}: ${reader} ${expected ? 'reads' : 'must not read'} what ${cell.author} keeps ${cell.visibility}`
        t.is(told.includes(cell.content), expected, what)
      }
    }
}

test('every route shows a reader exactly what its policy allows (agents.md 2.1)', t =>
  walk(t, widest, isVisible))

test('recall that names an agent without a policy returns only that agent’s memories (agents.md 2.1)', t =>
  walk(t, narrow, isOwn))

test('the MCP tools show a reader exactly what its policy allows (agents.md 2.1)', async t => {
  const mcp =
    (name: string, args: (cell: Cell) => Record<string, unknown>): Ask =>
    async (daemon, agent, cells) => {
      const client = await connectHttp(t, daemon.url, { headers: { 'x-service-agent-id': agent } })
      return readableContents(cells, async id => {
        const cell = cells.find(one => one.id === id) as Cell
        const { isError, text: told } = await callTool(client, name, args(cell))
        return !isError && told.includes(cell.content)
      })
    }
  await walk(
    t,
    {
      memory_get: mcp('memory_get', ({ id }) => ({ id })),
      memory_list: mcp('memory_list', () => ({ limit })),
    },
    isVisible,
  )
})

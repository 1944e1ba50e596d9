import test from 'ava'
import type { ReadBoundary } from '../../../../src/store/tables/memory/memory-filter.js'
import type { Tables } from '../../../../src/store/tables/tables.js'
import { startDaemon, type TestDaemon } from '../../../helpers/daemon.js'
import { ownDatabase } from '../../../helpers/postgres.js'
import { confinedReaders } from '../../../helpers/row-security.js'

const now = '2026-01-01T00:00:00.000Z'
const agents = ['ada', 'bo', 'cy'] as const
const projects = ['shop', 'till', undefined] as const
const everything: ReadBoundary = { agents, globalOf: 'all' }

/** Readers of each kind: one agent, a group, all, and credentials of a project and of an author. */
const readers: Readonly<Record<string, ReadBoundary>> = {
  'an agent alone': { agents: ['ada'], globalOf: [] },
  'an agent that others share with': { agents: ['bo'], globalOf: 'all' },
  'a member of a group': { agents: ['cy'], globalOf: ['ada'] },
  nobody: { agents: [], globalOf: [] },
  'a credential of a project': { agents: ['ada', 'bo'], globalOf: 'all', only: { project: 'shop' } },
  'a credential of another project, under an agent': {
    agents: ['cy'],
    globalOf: [],
    only: { project: 'till', projectKeys: ['till'] },
  },
  'a credential of an author': { ...everything, only: { who: 'maya' } },
  everybody: everything,
}

/** Memories of three agents in two projects and none; every third text is held by several of them. */
async function fill({ call, remember }: TestDaemon): Promise<string[]> {
  const ids = new Set<string>()
  for (const [at, visibility] of ['global', 'private', 'global'].entries())
    for (const agentId of agents)
      for (const project of projects) {
        const text =
          at === 2 ? `the gate of ${project ?? 'all'} is green` : `gate ${at} of ${agentId} ${project}`
        const fields = {
          agentId,
          project,
          visibility: visibility as 'global',
          pinned: at === 1 && agentId === 'bo',
        }
        ids.add(await remember(text, { ...fields, ...(agentId === 'cy' && { who: 'maya' }) }))
      }
  const all = [...ids]
  for (const id of all.filter((_, at) => at % 7 === 3))
    await call('DELETE /api/memory/:id', { params: { id }, query: { reason: 'old' } })
  return all
}

/** Reads that take a boundary, by name; lists without an order are sorted. */
function reads(
  { memories, history }: Tables,
  ids: readonly string[],
  boundary: ReadBoundary,
): Readonly<Record<string, () => Promise<unknown>>> {
  const page = { limit: 100, offset: 0 }
  const overview = { boundary, project: 'shop', limit: 50, now }
  const sorted = async (rows: Promise<readonly { id: string }[]>) =>
    [...(await rows)].sort((a, b) => (a.id < b.id ? -1 : 1))
  return {
    list: () => memories.list(boundary, {}, page),
    'list of a project': () => memories.list(boundary, { project: 'shop', orNoProject: true }, page),
    'list of an agent': () => memories.list(boundary, { agent: 'ada' }, page),
    'list of forgotten ones': () => memories.list(boundary, { deleted: true }, page),
    listBriefly: () => memories.listBriefly(boundary, {}, { ...page, sort: 'importance' }),
    countable: () => memories.countable(boundary, {}, { after: undefined, limit: 100 }),
    listIds: () => memories.listIds(boundary, { types: ['fact'] }, page),
    distinctWho: () => memories.distinctWho(boundary, {}),
    counts: () => memories.counts(boundary),
    find: () => Promise.all(ids.map(id => memories.find(id, boundary))),
    authorize: async () => [...(await memories.authorize(ids, boundary, {}))].sort(),
    loadRecallable: () => sorted(memories.loadRecallable(ids, boundary, {})),
    loadListable: () => sorted(memories.loadListable(ids, boundary, {})),
    statesOf: () => sorted(memories.statesOf(ids, boundary)),
    newestOf: () => memories.newestOf({ ...overview, type: 'fact' }),
    pinnedOf: () => memories.pinnedOf(overview),
    countOf: () => memories.countOf(boundary, 'shop', 'fact'),
    countTold: () => memories.countTold(boundary, 'shop', 100),
    removedBy: () => history.removedBy('default', boundary, now),
    changes: () => history.changes({ after: 0, upTo: 10_000 }, boundary, 1000),
  }
}

test('a role confined by row security gets the same answers, whatever boundary a statement has', async t => {
  const url = await ownDatabase(t)
  const daemon = await startDaemon(t, { settings: { storage: { postgres: url } } })
  const ids = await fill(daemon)
  const owner = daemon.daemon.store.tables
  const confined = await confinedReaders(t, url)
  const seen = new Map<string, number>()
  for (const [name, boundary] of Object.entries(readers)) {
    const tables = await confined(boundary)
    const [theirs, wide] = [reads(tables, ids, boundary), reads(tables, ids, everything)]
    for (const [read, expected] of Object.entries(reads(owner, ids, boundary)))
      t.deepEqual(await theirs[read]!(), await expected(), `${read}: ${name}`)
    // The server alone finds the same memories as the statement alone.
    for (const read of ['listIds', 'authorize', 'list of forgotten ones'])
      t.deepEqual(
        idsOf(await wide[read]!()),
        idsOf(await reads(owner, ids, boundary)[read]!()),
        `${read}: ${name}`,
      )
    seen.set(name, (await owner.memories.listIds(boundary, {}, { limit: 100, offset: 0 })).length)
  }
  t.log(Object.fromEntries(seen))
  t.is(seen.get('nobody'), 0)
  t.true(new Set(seen.values()).size >= 5, 'the readers see different parts')
})

function idsOf(answer: unknown): string[] {
  return (answer as (string | { id: string })[]).map(one => (typeof one === 'string' ? one : one.id)).sort()
}

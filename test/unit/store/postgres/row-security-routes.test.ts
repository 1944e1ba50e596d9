import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import test from 'ava'
import type { Address } from '../../../../src/contract/api.js'
import { AppError } from '../../../../src/contract/ground/errors.js'
import { accessOf, type Caller, ownCaller } from '../../../../src/daemon/ground/visibility/caller.js'
import type { Daemon } from '../../../../src/daemon/platform/daemon/daemon.js'
import type { Domain } from '../../../../src/daemon/platform/domain.js'
import type { Route } from '../../../../src/daemon/platform/http/bind.js'
import { domains } from '../../../../src/daemon/process/domains.js'
import type { ReadBoundary } from '../../../../src/store/tables/memory/memory-filter.js'
import type { Tables } from '../../../../src/store/tables/tables.js'
import { fillGuarded, type GuardedIds } from '../../../helpers/guarded-rows.js'
import { ownDatabase } from '../../../helpers/postgres.js'
import { confinedReaders } from '../../../helpers/row-security.js'
import { startTeam } from '../../../helpers/team.js'

interface TestReader {
  agent: string
  /** The rows that the server shows, written by hand. */
  sees: ReadBoundary
  scope?: { project?: string; user?: string }
}

const shop = { project: 'shop' }
const readers: Readonly<Record<string, TestReader>> = {
  'an isolated agent': { agent: 'ada', sees: { agents: ['ada'], globalOf: [] } },
  'an agent that shares with all': { agent: 'bo', sees: { agents: ['bo'], globalOf: 'all' } },
  'a member of a group': { agent: 'cy', sees: { agents: ['cy'], globalOf: ['ada', 'cy'] } },
  'a credential of a project': {
    agent: 'bo',
    sees: { agents: ['bo'], globalOf: 'all', only: shop },
    scope: shop,
  },
  'a credential of an author': {
    agent: 'bo',
    sees: { agents: ['bo'], globalOf: 'all', only: { who: 'maya' } },
    scope: { user: 'maya' },
  },
  'a credential of an author in a project': {
    agent: 'bo',
    sees: { agents: ['bo'], globalOf: 'all', only: { ...shop, who: 'maya' } },
    scope: { ...shop, user: 'maya' },
  },
}

type AskedRoute = readonly [Address, { params?: object; query?: object; body?: object }?]

/** Reads of everything of a kind. */
const lists: readonly AskedRoute[] = [
  ['GET /api/ontology/entities'],
  ['GET /api/ontology/entities', { query: { q: 'o' } }],
  ['GET /api/ontology/graph'],
  ['GET /api/ontology/proposals'],
  ['GET /api/documents'],
  ['GET /api/sessions'],
  ['GET /api/sessions', { query: { past: 'true' } }],
  ['GET /api/sessions/blackbox'],
  ['GET /api/sessions/activity'],
  ['GET /api/sessions/summaries'],
  ['GET /api/sessions/work', { query: { file: '/work/crane.ts' } }],
  ['POST /api/sessions/search', { body: { query: 'crane squeaks', limit: 20 } }],
]

/** These, and reads of knowledge, documents, sessions and timelines for every id. */
function requests(ids: GuardedIds): AskedRoute[] {
  const each = (all: readonly string[], ask: (id: string) => AskedRoute): AskedRoute[] => all.map(ask)
  const some = (all: readonly string[]) => all.filter((_, at) => at % 3 === 0)
  const slot = { aspect: 'state', group: 'general' }
  return [
    ...lists,
    ['GET /api/ontology/review'],
    ...each(ids.entities, id => ['GET /api/ontology/entities/:id', { params: { id } }]),
    ...each(ids.entities, id => ['GET /api/ontology/entities/:id/about', { params: { id } }]),
    ...each(some(ids.entities), id => ['GET /api/ontology/entities/:id/neighbourhood', { params: { id } }]),
    ...each(ids.memories, id => ['GET /api/ontology/memories/:id/claims', { params: { id } }]),
    ...each(['shop private', 'till global', 'yard global'], claim => [
      'GET /api/ontology/claims/explain',
      { query: { entity: 'Gate', claim, ...slot } },
    ]),
    ...each(['shop transcript', 'yard summary'], claim => [
      'GET /api/ontology/claims/explain',
      { query: { entity: 'Crane', claim, ...slot } },
    ]),
    ...each(ids.documents, id => ['GET /api/documents/:id', { params: { id } }]),
    ...each(ids.documents, id => ['GET /api/documents/:id/chunks', { params: { id } }]),
    ['POST /api/sources/search', { body: { query: 'crane ten tons', limit: 20 } }],
    ...each(ids.sessions, key => ['GET /api/sessions/:key', { params: { key } }]),
    ...each(ids.sessions, key => ['GET /api/sessions/:key/transcript', { params: { key } }]),
    ...each(ids.sessions, key => ['GET /api/sessions/:key/turns', { params: { key } }]),
    ...each(ids.sessions, key => ['GET /api/sessions/:key/work', { params: { key } }]),
    ...each(ids.sessions, key => ['GET /api/sessions/:key/blackbox', { params: { key } }]),
    ...each(ids.summaries, id => [
      'POST /api/sessions/summaries/expand',
      { body: { id, includeTranscript: true } },
    ]),
    ...each(ids.captures, jobId => ['GET /api/hooks/transcript-capture/:jobId', { params: { jobId } }]),
    ...each(Object.values(ids).flat(), id => ['GET /api/timeline/:id', { params: { id } }]),
    ...each(some(ids.memories), id => ['GET /api/items/:id', { params: { id } }]),
    ...each(ids.sessions, key => ['GET /api/items/:id', { params: { id: `session:${key}` } }]),
    ['POST /api/search', { body: { query: 'crane gate', limit: 50 } }],
  ]
}

const routes: readonly Route[] = Object.values<Domain>(domains).flatMap(({ routes = [] }) => routes)

/** The answer of a route's use case to a caller, or the code of its refusal. */
async function answer(daemon: Daemon, caller: Caller, [address, asked = {}]: AskedRoute): Promise<unknown> {
  const found = routes.find(({ endpoint: { method, path } }) => `${method} ${path}` === address)
  if (!found) throw new Error(`no route ${address}`)
  const { endpoint } = found
  const handle = (await found.handler()) as (daemon: Daemon, input: object) => Promise<unknown>
  const input = {
    caller,
    params: endpoint.params?.parse(asked.params ?? {}),
    query: endpoint.query?.parse(asked.query ?? {}),
    body: endpoint.body?.parse(asked.body ?? {}),
    files: [],
    untilGone: () => new AbortController().signal,
  }
  try {
    const reply = await handle(daemon, input)
    return JSON.parse(reply instanceof Readable ? await text(reply) : JSON.stringify(reply))
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}

function callerOf(daemon: Daemon, { agent, scope = {} }: TestReader): Caller {
  const key = {
    kind: 'api-key',
    actor: 'a key',
    rateKey: 'a key',
    role: 'operator',
    permissions: null,
  } as const
  const access = accessOf({ ...key, scope })
  return { ...ownCaller(daemon, 'a key'), actorType: 'operator', agentId: agent, access }
}

/** All ids in an answer, which say what a reader was shown. */
function idsIn(answered: unknown): string[] {
  const ids = new Set<string>()
  JSON.stringify(answered, (field, value: unknown) => {
    if (typeof value === 'string' && /^(?:id|key|sessionKey)$/u.test(field)) ids.add(value)
    return value
  })
  return [...ids].sort()
}

test('a role confined by row security gets the same answers about knowledge, documents and sessions', async t => {
  // Some three thousand answers.
  t.timeout(1_200_000)
  const url = await ownDatabase(t)
  const team = await startTeam(t, { settings: { storage: { postgres: url } } })
  const ids = await fillGuarded(t, team, url)
  const confined = await confinedReaders(t, url)
  const { daemon } = team
  await daemon.blackBoxes.flush()
  const now = daemon.clock()
  const withTables = (tables: Tables): Daemon => ({
    ...daemon,
    store: { ...daemon.store, tables },
    clock: () => now,
  })
  const trusted = withTables(daemon.store.tables)
  const different: string[] = []
  for (const [name, reader] of Object.entries(readers)) {
    const guarded = withTables(await confined({ ...reader.sees, own: reader.agent }))
    const caller = callerOf(daemon, reader)
    const compare = async (request: AskedRoute, other: Caller, part: (answered: unknown) => unknown) => {
      const [expected, actual] = [
        await answer(trusted, caller, request),
        await answer(guarded, other, request),
      ]
      if (!isDeepStrictEqual(part(actual), part(expected)))
        different.push(`${name}: ${JSON.stringify([request, expected, actual])}`)
    }
    for (const request of requests(ids)) await compare(request, caller, answered => answered)
    // The server alone hides what a credential may not see.
    const wide = callerOf(daemon, { ...reader, scope: {} })
    if (reader.scope) for (const request of lists) await compare(request, wide, idsIn)
    // And what belongs to another agent.
    const foreign = callerOf(daemon, { ...reader, agent: reader.agent === 'bo' ? 'ada' : 'bo' })
    for (const request of lists.filter(([address]) => address !== 'GET /api/documents'))
      t.deepEqual(idsIn(await answer(guarded, foreign, request)), [], `${name}: ${request[0]}`)
  }
  t.deepEqual(different, [])
})

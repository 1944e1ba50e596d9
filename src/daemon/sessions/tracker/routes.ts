import { notFound } from '../../../contract/ground/errors.js'
import type { ListedSession, Session } from '../../../contract/sessions/sessions.js'
import * as contract from '../../../contract/sessions/sessions.js'
import { quoted } from '../../../lib/text/clip.js'
import { nameKeyOf, type SessionRow } from '../../../store/tables/sessions/sessions.js'
import { isLive, liveSessionCutoff, sessionKeyOf } from '../../ground/sessions/session-key.js'
import { agentOf, assertInScope, type NamedAgent } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { mayRead, openingLength, titleOf } from '../transcripts/session-transcript.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'budget'>

export interface SessionQuery extends NamedAgent {
  project?: string | undefined
  limit: number
  past: boolean
}

/** A session by its row of the tracker, its conversation or its black box. */
interface FoundSession {
  agentId: string
  sessionKey: string
  harness: string
  project: string | null
  row: SessionRow | undefined
  at: string
}

/** Sessions described at once: a few milliseconds, since the beginnings of their messages are read. */
const slice = 25

/** An imported session, or one of the API, called no hook here. */
const withoutHooks = {
  runtimePath: null,
  claimedAt: null,
  expiresAt: null,
  bypassed: false,
  parentKey: null,
  prompts: 0,
} as const

export const routes = [
  route(contract.listSessions, async (daemon, { caller, query }) => {
    const sessions = await listSessions(daemon, caller, query)
    return { sessions, count: sessions.length }
  }),
  route(contract.getSession, async (daemon, { caller, params, query }) =>
    toSession(await findSession(daemon, caller, params.key, query), daemon.clock().toISOString()),
  ),
  route(contract.bypassSession, async (daemon, { caller, params, query, body }) => {
    const named = body.agentId || body.agent_id ? body : query
    const { agent_id: agentId, session_key: sessionKey } = await findSession(
      daemon,
      caller,
      params.key,
      named,
    )
    await daemon.store.write({ until: 'executed' }, async ({ sessions }) => {
      await sessions.setBypassed({ agentId, sessionKey }, body.enabled)
    })
    const { toolQueues } = daemon
    if (body.enabled) await toolQueues.each(sessionKey, () => toolQueues.close(sessionKey))
    return { key: sessionKey, bypassed: body.enabled }
  }),
]

/**
 * Lists live sessions, and on request ended, captured and imported ones, of the caller's agent; of every
 * agent for an administrator who names none (rules.md 4.11).
 */
async function listSessions(deps: Deps, caller: Caller, query: SessionQuery): Promise<ListedSession[]> {
  const { store, clock } = deps
  const { scope, role } = caller.access
  assertInScope(scope, 'project', query.project)
  const agentId = agentOf(caller, query) ?? (role === 'admin' ? undefined : defaultAgent)
  const filter = { agentId, project: query.project ?? scope.project }
  const { sessions, transcripts } = store.tables
  const rows = query.past
    ? await sessions.recent(filter, query.limit)
    : await sessions.live({ ...filter, since: liveSessionCutoff(clock()) }, query.limit)
  const found = new Map<string, FoundSession>()
  const add = (one: FoundSession) => found.set(`${one.agentId} ${one.sessionKey}`, one)
  for (const row of rows) if (mayRead(caller, row)) add({ ...nameOf(row), row, at: row.seen_at })
  if (query.past)
    for (const transcript of await transcripts.newest(filter, query.limit)) {
      const row = found.get(`${transcript.agent_id} ${transcript.session_key}`)?.row
      if (mayRead(caller, transcript))
        add({ ...nameOf(transcript), row, at: row?.seen_at ?? transcript.captured_at })
    }
  if (query.past)
    for (const log of await store.tables.sessionEvents.logs(
      agentId ?? defaultAgent,
      filter.project,
      query.limit,
    ))
      if (!found.has(`${log.agent_id} ${log.session_key}`) && mayRead(caller, log))
        add({
          ...nameOf({ ...log, harness: 'unknown' }),
          row: undefined,
          at: log.last_at,
        })
  const newest = [...found.values()].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, query.limit)
  const listed: ListedSession[] = []
  for (let from = 0; from < newest.length; from += slice) {
    listed.push(...(await toListed(deps, caller, newest.slice(from, from + slice))))
    await deps.budget.breathe()
  }
  return listed
}

/** Describes a slice of sessions, with one statement for each kind of data. */
async function toListed(
  { store, clock }: Deps,
  caller: Caller,
  found: readonly FoundSession[],
): Promise<ListedSession[]> {
  const { transcripts, sessionEvents, summaryNodes } = store.tables
  const stored = new Map((await transcripts.ofSessions(found)).map(row => [nameKeyOf(row), row]))
  const readable = new Map([...stored].filter(([, transcript]) => mayRead(caller, transcript)))
  const safe = [...readable.values()].filter(one => one.safety_status === 'clean')
  const [openings, saved, forks] = await Promise.all([
    transcripts.openings(safe, openingLength),
    sessionEvents.countSaved(found),
    summaryNodes.forksOf(found),
  ])
  const now = clock()
  return found.map(({ agentId, sessionKey: key, harness, project, at, row }) => {
    const name = nameKeyOf({ agent_id: agentId, session_key: key })
    const transcript = readable.get(name)
    return {
      ...(row
        ? toSession(row, now.toISOString())
        : { ...withoutHooks, key, agentId, harness, project, startedAt: at, seenAt: at }),
      isLive: row !== undefined && isLive(row, now),
      title: titleOf(openings.get(transcript?.body_id ?? '') ?? []) ?? null,
      turns: transcript?.messages ?? 0,
      memories: saved.get(name) ?? 0,
      forkOf: transcript ? (forks.get(name) ?? null) : null,
    }
  })
}

type NamedRow = Pick<SessionRow, 'agent_id' | 'session_key' | 'harness' | 'project'>

function nameOf({ agent_id: agentId, session_key: sessionKey, harness, project }: NamedRow) {
  return { agentId, sessionKey, harness, project }
}

type FindSessionDeps = Pick<Daemon, 'store' | 'clock'>

/**
 * Finds a live session by its key. A caller that names no agent gets the default agent's session before
 * another agent's (rules.md 4.11).
 * @throws AppError `not_found` for a session that is unknown, ended, or not visible to the caller.
 */
async function findSession(
  { store, clock }: FindSessionDeps,
  caller: Caller,
  key: string,
  named: NamedAgent,
): Promise<SessionRow> {
  const sessionKey = sessionKeyOf(key)
  const agentId = agentOf(caller, named)
  const { sessions } = store.tables
  const row = agentId
    ? await sessions.find({ agentId, sessionKey })
    : await sessions.byKey(sessionKey, defaultAgent)
  if (row && mayRead(caller, row) && isLive(row, clock())) return row
  throw notFound(
    `live session ${quoted(key)} not found`,
    'list live sessions with memory sessions list, or read an ended one with memory sessions transcript',
  )
}

/** @param now ISO timestamp; claims expired by then are left out. */
function toSession(row: SessionRow, now: string): Session {
  const isClaimed = row.runtime_path !== null && (row.expires_at ?? '') > now
  return {
    key: row.session_key,
    agentId: row.agent_id,
    harness: row.harness,
    project: row.project,
    runtimePath: isClaimed ? row.runtime_path : null,
    claimedAt: isClaimed ? row.claimed_at : null,
    expiresAt: isClaimed ? row.expires_at : null,
    bypassed: row.bypassed === 1,
    parentKey: row.parent_key,
    startedAt: row.started_at,
    seenAt: row.seen_at,
    prompts: row.prompts,
  }
}

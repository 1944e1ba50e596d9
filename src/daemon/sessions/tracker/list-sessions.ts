import type { ListedSession } from '../../../contract/sessions/sessions.js'
import type { SessionRow } from '../../../store/tables/sessions/sessions.js'
import type { TranscriptRow } from '../../../store/tables/sessions/transcripts.js'
import { isLive, liveSessionCutoff } from '../../ground/sessions/session-key.js'
import { agentOf, type NamedAgent } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import { assertInScope } from '../../ground/visibility/scope.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { mayRead } from '../transcripts/session-transcript.js'
import { titleOf } from '../transcripts/title-of.js'
import { toSession } from './find-session.js'

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
  transcript: TranscriptRow | undefined
  at: string
}

/** Characters of a message that are read for a title. */
const openingLength = 2000

/**
 * Lists live sessions, and on request ended, captured and imported ones, of the caller's agent; of every
 * agent for an administrator who names none (rules.md 4.11).
 */
export async function listSessions(
  deps: Deps,
  caller: Caller,
  query: SessionQuery,
): Promise<ListedSession[]> {
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
  for (const row of rows) add({ ...nameOf(row), row, transcript: undefined, at: row.seen_at })
  if (query.past)
    for (const transcript of await transcripts.newest(filter, query.limit)) {
      const row = found.get(`${transcript.agent_id} ${transcript.session_key}`)?.row
      if (mayRead(caller, transcript))
        add({ ...nameOf(transcript), row, transcript, at: row?.seen_at ?? transcript.captured_at })
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
          transcript: undefined,
          at: log.last_at,
        })
  const newest = [...found.values()].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, query.limit)
  const listed: ListedSession[] = []
  for (const one of newest) {
    listed.push(await toListed(deps, caller, one))
    await deps.budget.breathe()
  }
  return listed
}

async function toListed(
  { store, clock }: Deps,
  caller: Caller,
  { agentId, sessionKey, harness, project, at, row, transcript: known }: FoundSession,
): Promise<ListedSession> {
  const { transcripts, sessionEvents, summaryNodes } = store.tables
  const stored = known ?? (await transcripts.find({ agentId, sessionKey }))
  const transcript = stored && mayRead(caller, stored) ? stored : undefined
  const isSafe = transcript?.safety_status === 'clean'
  const openings = isSafe ? await transcripts.openings(transcript, openingLength) : []
  const now = clock()
  return {
    ...(row
      ? toSession(row, now.toISOString())
      : { ...withoutHooks, key: sessionKey, agentId, harness, project, startedAt: at, seenAt: at }),
    isLive: row !== undefined && isLive(row, now),
    title: titleOf(openings) ?? null,
    turns: transcript?.messages ?? 0,
    memories: await sessionEvents.countSaved({ agentId, sessionKey }),
    forkOf: transcript ? ((await summaryNodes.forkOf({ agentId, sessionKey })) ?? null) : null,
  }
}

type NamedRow = Pick<SessionRow, 'agent_id' | 'session_key' | 'harness' | 'project'>

function nameOf({ agent_id: agentId, session_key: sessionKey, harness, project }: NamedRow) {
  return { agentId, sessionKey, harness, project }
}

/** An imported session, or one of the API, called no hook here. */
const withoutHooks = {
  runtimePath: null,
  claimedAt: null,
  expiresAt: null,
  bypassed: false,
  parentKey: null,
  prompts: 0,
} as const

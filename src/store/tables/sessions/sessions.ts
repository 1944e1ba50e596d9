import { type Kysely, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { Schema, SessionsTable } from '../../schema/schema.js'
import { pairsOf } from '../../sql/dialect.js'
import { fixedStatement, shapedStatement } from '../../sql/fixed-statement.js'
import { sameProject } from '../../sql/same-project.js'

export type SessionRow = Selectable<SessionsTable>

/** A session of one agent; the key is the harness's own, without a `session:` prefix. */
export interface SessionName {
  agentId: string
  sessionKey: string
}

/** Matches the rows of some sessions. */
export function isSessionAmong(names: readonly SessionName[]): RawBuilder<SqlBool> {
  return sql`(agent_id, session_key) IN ${pairsOf(names.map(({ agentId, sessionKey }) => [agentId, sessionKey]))}`
}

/** Returns one key for the agent and the key of a session. */
export function nameKeyOf({ agent_id, session_key }: Pick<SessionRow, 'agent_id' | 'session_key'>): string {
  return `${agent_id} ${session_key}`
}

/** A hook call, as the tracker records it. */
export interface SessionVisit {
  harness: string
  project: string | null
  cwd: string | null
  /** The path the caller runs on; null when it declared none. */
  runtimePath: string | null
  /** Claims the path for the session; other calls only renew an existing claim. */
  claims: boolean
  /** Reopens an ended session, as a claim does. */
  resumes?: boolean
  /** An attempt of the sweep: it is counted, but does not update the time last seen. */
  sweeps?: boolean
  /** ISO time at which a claim of this call expires. */
  expiresAt: string
}

/** Further facts in a hook call; undefined leaves a field unchanged. */
export interface SessionFacts {
  parentKey?: string | undefined
  harnessAgentId?: string | undefined
  transcriptPath?: string | undefined
}

/** Selects live sessions: not ended, and seen after `since` (ISO). */
export interface LiveSessions {
  /** Undefined selects all agents. */
  agentId: string | undefined
  project: string | undefined
  since: string
  /** Excludes one session, or all of an agent. */
  except?: { agentId: string; sessionKey: string | undefined }
}

/** Sessions of harnesses: presence, runtime-path claims and bypass (rules.md 3.3 and 4.11). */
export function sessionsTable(db: Kysely<Schema>) {
  return { ...reads(db), ...visits(db) }
}

function liveCount(db: Kysely<Schema>, since: string) {
  return db
    .selectFrom('sessions')
    .select(sql<number>`count(*)`.as('count'))
    .where('ended_at', 'is', null)
    .where('seen_at', '>', since)
}

function reads(db: Kysely<Schema>) {
  const withKey = fixedStatement<{ sessionKey: string; preferred: string }, SessionRow>(db, ({ value }) =>
    db
      .selectFrom('sessions')
      .selectAll()
      .where(
        'session_key',
        '=',
        value(({ sessionKey }) => sessionKey),
      )
      .orderBy(sql`agent_id = ${value(({ preferred }) => preferred)}`, 'desc')
      .orderBy('seen_at', 'desc')
      .limit(1),
  )
  return {
    find: ({ agentId, sessionKey }: SessionName): Promise<SessionRow | undefined> =>
      db
        .selectFrom('sessions')
        .selectAll()
        .where('agent_id', '=', agentId)
        .where('session_key', '=', sessionKey)
        .executeTakeFirst(),
    /** Returns the session with a key: the preferred agent's first, else the one last seen. */
    byKey: async (sessionKey: string, preferred: string): Promise<SessionRow | undefined> =>
      (await withKey({ sessionKey, preferred }))[0],
    /** Returns live sessions, most recently seen first. */
    live: ({ agentId, project, since, except }: LiveSessions, limit: number): Promise<SessionRow[]> =>
      db
        .selectFrom('sessions')
        .selectAll()
        .where('ended_at', 'is', null)
        .where('seen_at', '>', since)
        .$if(agentId !== undefined, query => query.where('agent_id', '=', agentId as string))
        .$if(project !== undefined, query => query.where(sameProject('project', project)))
        .$if(except !== undefined, query =>
          query.where(eb =>
            eb.or([
              eb('agent_id', '!=', except?.agentId ?? ''),
              ...(except?.sessionKey === undefined ? [] : [eb('session_key', '!=', except.sessionKey)]),
            ]),
          ),
        )
        .orderBy('seen_at', 'desc')
        .limit(limit)
        .execute(),
    /** Returns sessions, live and ended, most recently seen first. */
    recent: (
      { agentId, project }: Pick<LiveSessions, 'agentId' | 'project'>,
      limit: number,
    ): Promise<SessionRow[]> =>
      db
        .selectFrom('sessions')
        .selectAll()
        .$if(agentId !== undefined, query => query.where('agent_id', '=', agentId as string))
        .$if(project !== undefined, query => query.where(sameProject('project', project)))
        .orderBy('seen_at', 'desc')
        .limit(limit)
        .execute(),
    countLive: async (since: string): Promise<number> =>
      (await liveCount(db, since).executeTakeFirstOrThrow()).count,
    /** Counts bypassed live sessions. */
    countBypassed: async (since: string): Promise<number> =>
      (await liveCount(db, since).where('bypassed', '=', 1).executeTakeFirstOrThrow()).count,
    /**
     * Returns open sessions last seen in a time range (ISO) that named a transcript and were not captured
     * since; most recently seen first.
     */
    uncaptured: (
      { since, seenBy }: { since: string; seenBy: string },
      limit: number,
    ): Promise<SessionRow[]> =>
      db
        .selectFrom('sessions')
        .selectAll()
        .where('ended_at', 'is', null)
        .where('seen_at', '>', since)
        .where('seen_at', '<=', seenBy)
        .where('transcript_path', 'is not', null)
        .where('bypassed', '=', 0)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('transcript_captures as c')
                .select('c.id')
                .whereRef('c.agent_id', '=', 'sessions.agent_id')
                .whereRef('c.session_key', '=', 'sessions.session_key')
                .whereRef('c.created_at', '>=', 'sessions.seen_at'),
            ),
          ),
        )
        .orderBy('seen_at', 'desc')
        .limit(limit)
        .execute(),
    /** Returns open sessions last seen by then (ISO), the longest unseen first. */
    abandoned: (seenBy: string, limit: number): Promise<SessionRow[]> =>
      db
        .selectFrom('sessions')
        .selectAll()
        .where('ended_at', 'is', null)
        .where('seen_at', '<=', seenBy)
        .orderBy('seen_at')
        .limit(limit)
        .execute(),
  }
}

/** The options that decide the text of the visit statement. */
interface VisitOptions {
  /** The caller runs on a path. */
  onPath: boolean
  claims: boolean
  resumes: boolean
  sweeps: boolean
}

interface NamedVisit extends SessionName, SessionVisit {
  now: string
}

/**
 * Checks the claim in the same statement, so only one of two concurrent calls on different paths gets it.
 * @returns the updated session; none when the other runtime path has the claim.
 */
function visitStatement(db: Kysely<Schema>) {
  return shapedStatement<VisitOptions, NamedVisit, SessionRow>(
    db,
    ({ onPath, claims, resumes, sweeps }, { value }) => {
      const now = value(visit => visit.now)
      const project = value(visit => visit.project)
      const cwd = value(visit => visit.cwd)
      const runtimePath = value(visit => visit.runtimePath)
      const expiresAt = value<string | null>(visit => visit.expiresAt)
      const claimed = claims
        ? { runtime_path: runtimePath, claimed_at: now, expires_at: expiresAt }
        : undefined
      const renews = sql<boolean>`sessions.runtime_path = ${runtimePath} AND sessions.expires_at > ${now}`
      const isFree = sql<boolean>`sessions.runtime_path IS NULL OR sessions.runtime_path = ${runtimePath} OR sessions.expires_at <= ${now}`
      return db
        .insertInto('sessions')
        .values({
          agent_id: value(visit => visit.agentId),
          session_key: value(visit => visit.sessionKey),
          harness: value(visit => visit.harness),
          project,
          cwd,
          started_at: now,
          seen_at: now,
          ...claimed,
        })
        .onConflict(conflict => {
          const update = conflict.columns(['agent_id', 'session_key']).doUpdateSet({
            harness: value(visit => visit.harness),
            project: sql`COALESCE(${project}, sessions.project)`,
            cwd: sql`COALESCE(${cwd}, sessions.cwd)`,
            ...(sweeps
              ? { sweep_attempts: sql`sessions.sweep_attempts + 1` }
              : { sweep_attempts: 0, seen_at: now }),
            ...(claimed
              ? { ...claimed, claimed_at: sql`CASE WHEN ${renews} THEN sessions.claimed_at ELSE ${now} END` }
              : { expires_at: sql`CASE WHEN ${renews} THEN ${expiresAt} ELSE sessions.expires_at END` }),
            ...(resumes && { ended_at: null, end_reason: null }),
          })
          return onPath ? update.where(isFree) : update
        })
        .returningAll()
    },
  )
}

function visits(db: Kysely<Schema>) {
  const noteVisit = visitStatement(db)
  const addPrompt = fixedStatement<SessionName, unknown>(db, ({ value }) =>
    db
      .updateTable('sessions')
      .set({ prompts: sql`prompts + 1` })
      .where(
        'agent_id',
        '=',
        value(({ agentId }) => agentId),
      )
      .where(
        'session_key',
        '=',
        value(({ sessionKey }) => sessionKey),
      ),
  )
  return {
    /**
     * Records a hook call of a session.
     * @returns the updated session; undefined, with no change, when the other runtime path has the claim.
     */
    visit: async (name: SessionName, visit: SessionVisit, now: string): Promise<SessionRow | undefined> => {
      const onPath = visit.runtimePath !== null
      const { claims, resumes = claims, sweeps = false } = visit
      const shape = { onPath, claims: claims && onPath, resumes, sweeps }
      return (await noteVisit(shape, { ...visit, ...name, now }))[0]
    },
    /** Ends a session and releases its claim (rules.md 3.3). @returns false when it is unknown. */
    end: async (
      { agentId, sessionKey }: SessionName,
      reason: string | null,
      now: string,
    ): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('sessions')
        .set({
          runtime_path: null,
          claimed_at: null,
          expires_at: null,
          seen_at: now,
          ended_at: now,
          end_reason: reason,
        })
        .where('agent_id', '=', agentId)
        .where('session_key', '=', sessionKey)
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },
    /** Marks the session as seen now, so the sweep retries only after the usual time. */
    putOff: async ({ agentId, sessionKey }: SessionName, now: string): Promise<void> => {
      await db
        .updateTable('sessions')
        .set({ seen_at: now, sweep_attempts: 0 })
        .where('agent_id', '=', agentId)
        .where('session_key', '=', sessionKey)
        .where('ended_at', 'is', null)
        .execute()
    },
    note: async (
      { agentId, sessionKey }: SessionName,
      { parentKey, harnessAgentId, transcriptPath }: SessionFacts,
    ): Promise<void> => {
      const told = {
        ...(parentKey !== undefined && { parent_key: parentKey }),
        ...(harnessAgentId !== undefined && { harness_agent_id: harnessAgentId }),
        ...(transcriptPath !== undefined && { transcript_path: transcriptPath }),
      }
      if (Object.keys(told).length === 0) return
      await db
        .updateTable('sessions')
        .set(told)
        .where('agent_id', '=', agentId)
        .where('session_key', '=', sessionKey)
        .execute()
    },
    countPrompt: async (name: SessionName): Promise<void> => {
      await addPrompt(name)
    },
    /** @returns false when the session is unknown. */
    setBypassed: async ({ agentId, sessionKey }: SessionName, bypassed: boolean): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('sessions')
        .set({ bypassed: bypassed ? 1 : 0 })
        .where('agent_id', '=', agentId)
        .where('session_key', '=', sessionKey)
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },
  }
}

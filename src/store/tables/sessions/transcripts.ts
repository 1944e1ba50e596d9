import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import type { TranscriptMessagesTable, TranscriptsTable } from '../../schema/transcript-schema.js'
import { blanksFor } from '../../sql/dialect.js'
import { sameProject } from '../../sql/same-project.js'
import { withinBytes } from '../../sql/sized.js'
import { isSessionAmong, type SessionName } from './sessions.js'

export type TranscriptRow = Selectable<TranscriptsTable>
export type NewTranscript = Insertable<TranscriptsTable>

export interface StoredMessage {
  position: number
  role: string
  at: string | null
  text: string
}

export interface NewTranscriptMessage extends StoredMessage {
  fingerprint: string
}

/** Identifies a message, also in a copy of its conversation. */
export type MessagePrint = Pick<NewTranscriptMessage, 'fingerprint' | 'at'>

/** The beginning of a message. */
type Opening = Pick<StoredMessage, 'role' | 'text'>

export interface TranscriptFilter {
  agentId: string
  harness: string | undefined
  /** Times of the last capture, ISO 8601, inclusive. */
  since: string | undefined
  until: string | undefined
}

export type TranscriptCursor = Pick<TranscriptRow, 'captured_at' | 'session_key'>

/** Bytes of text per page; a single longer message is still returned. */
const pageBytes = 256 * 1024
const pageRows = 200
/** Messages among which the first prompt of a person is looked for. */
const openingRows = 40
const fingerprintRows = 5000
/** Transcripts of an agent among which the one that a session was forked from is searched. */
const comparedTranscripts = 500

/**
 * Captured conversations (rules.md 4.10). A transcript is the first `messages` messages of its body; the rest
 * are staged, or left over from an interrupted capture.
 */
export function transcriptsTable(db: Kysely<Schema>) {
  return { ...reads(db), ...writes(db) }
}

function reads(db: Kysely<Schema>) {
  return {
    find: ({ agentId, sessionKey }: SessionName): Promise<TranscriptRow | undefined> =>
      db
        .selectFrom('transcripts')
        .selectAll()
        .where('agent_id', '=', agentId)
        .where('session_key', '=', sessionKey)
        .executeTakeFirst(),
    /** Returns the transcripts of some sessions. */
    ofSessions: (names: readonly SessionName[]): Promise<TranscriptRow[]> =>
      db.selectFrom('transcripts').selectAll().where(isSessionAmong(names)).execute(),
    /** Returns the transcript whose text is in a body. */
    byBody: (bodyId: string): Promise<TranscriptRow | undefined> =>
      db.selectFrom('transcripts').selectAll().where('body_id', '=', bodyId).executeTakeFirst(),
    ofAgent: (agentId: string, limit: number): Promise<TranscriptRow[]> =>
      db.selectFrom('transcripts').selectAll().where('agent_id', '=', agentId).limit(limit).execute(),
    /** Returns the transcripts captured last, of all agents unless one is given. */
    newest: (
      { agentId, project }: { agentId: string | undefined; project: string | undefined },
      limit: number,
    ): Promise<TranscriptRow[]> =>
      db
        .selectFrom('transcripts')
        .selectAll()
        .$if(agentId !== undefined, query => query.where('agent_id', '=', agentId as string))
        .$if(project !== undefined, query => query.where(sameProject('project', project)))
        .orderBy('captured_at', 'desc')
        .limit(limit)
        .execute(),
    /** Returns the beginnings of the first messages that are not of the assistant, in order, by body. */
    openings: async (
      transcripts: readonly Pick<TranscriptRow, 'body_id' | 'messages'>[],
      characters: number,
    ): Promise<Map<string, Opening[]>> => {
      const found = new Map(transcripts.map(({ body_id }) => [body_id, [] as Opening[]]))
      if (found.size === 0) return found
      const rows = await db
        .selectFrom('transcript_messages')
        .select(['body_id', 'position', 'role', sql<string>`substr(text, 1, ${characters})`.as('text')])
        .where('body_id', 'in', [...found.keys()])
        .where('position', '<', openingRows)
        .where('role', '!=', 'assistant')
        .where('escaped', '=', 0)
        .orderBy('body_id')
        .orderBy('position')
        .execute()
      const lengths = new Map(transcripts.map(({ body_id, messages }) => [body_id, messages]))
      for (const { body_id: id, position, ...opening } of rows)
        if (position < (lengths.get(id) ?? 0)) found.get(id)?.push(opening)
      return found
    },
    /** Returns transcripts of an agent after a cursor, ordered by time and key. */
    page: (
      { agentId, harness, since, until }: TranscriptFilter,
      { after, limit, offset }: { after: TranscriptCursor | undefined; limit: number; offset: number },
    ): Promise<TranscriptRow[]> =>
      db
        .selectFrom('transcripts')
        .selectAll()
        .where('agent_id', '=', agentId)
        .$if(harness !== undefined, query => query.where('harness', '=', harness as string))
        .$if(since !== undefined, query => query.where('captured_at', '>=', since as string))
        .$if(until !== undefined, query => query.where('captured_at', '<=', until as string))
        .$if(after !== undefined, query =>
          query.where(
            sql<boolean>`(captured_at, session_key) > (${after?.captured_at}, ${after?.session_key})`,
          ),
        )
        .orderBy('captured_at')
        .orderBy('session_key')
        .limit(limit)
        .offset(offset)
        .execute(),
    /** Returns a transcript judged with another version of the policy; undefined when there is none. */
    outdated: (policy: string): Promise<TranscriptRow | undefined> =>
      db
        .selectFrom('transcripts')
        .selectAll()
        // Two ranges, because the index cannot serve <>.
        .where(sql<boolean>`(safety_policy < ${policy} OR safety_policy > ${policy})`)
        .limit(1)
        .executeTakeFirst(),
    byBodies: async (bodyIds: readonly string[]): Promise<TranscriptRow[]> =>
      bodyIds.length === 0
        ? []
        : db
            .selectFrom('transcripts')
            .selectAll()
            .where('body_id', 'in', [...bodyIds])
            .execute(),
    /**
     * Returns messages of a body from a position on; fewer than `limit` when they are long, none at the end.
     */
    messages: async (
      { body_id, messages }: Pick<TranscriptRow, 'body_id' | 'messages'>,
      from: number,
      limit = pageRows,
    ): Promise<StoredMessage[]> => {
      const sizes = await db
        .selectFrom('transcript_messages')
        .select([sql<string>`position`.as('id'), sql<number>`octet_length(text)`.as('bytes')])
        .where('body_id', '=', body_id)
        .where('position', '>=', from)
        .where('position', '<', messages)
        .orderBy('position')
        .limit(Math.min(limit, pageRows))
        .execute()
      if (sizes.length === 0) return []
      const rows = await db
        .selectFrom('transcript_messages')
        .select(['position', 'role', 'at', 'text', 'escaped'])
        .where('body_id', '=', body_id)
        .where('position', '>=', from)
        .where('position', '<', from + withinBytes(sizes, pageBytes).length)
        .orderBy('position')
        .execute()
      return rows.map(({ escaped, text, ...row }) => ({ ...row, text: decodeText(text, escaped) }))
    },
    /** Yields the fingerprints and times of a transcript's messages in order, in batches. */
    async *prints({
      body_id,
      messages,
    }: Pick<TranscriptRow, 'body_id' | 'messages'>): AsyncGenerator<MessagePrint[]> {
      for (let from = 0; from < messages; from += fingerprintRows)
        yield await db
          .selectFrom('transcript_messages')
          .select(['fingerprint', 'at'])
          .where('body_id', '=', body_id)
          .where('position', '>=', from)
          .where('position', '<', Math.min(messages, from + fingerprintRows))
          .orderBy('position')
          .execute()
    },
    /** Returns the newest transcripts of an agent's other sessions in a project that begin with a message. */
    beginningWith: (
      { fingerprint, at }: MessagePrint,
      { agentId, sessionKey, project, harness }: SessionName & Pick<TranscriptRow, 'project' | 'harness'>,
    ): Promise<TranscriptRow[]> =>
      db
        .selectFrom(
          db
            .selectFrom('transcripts')
            .selectAll()
            .where('agent_id', '=', agentId)
            .orderBy('captured_at', 'desc')
            .orderBy('session_key', 'desc')
            .limit(comparedTranscripts)
            .as('newest'),
        )
        .innerJoin('transcript_messages as first', join =>
          join.onRef('first.body_id', '=', 'newest.body_id').on('first.position', '=', 0),
        )
        .selectAll('newest')
        .where('newest.session_key', '!=', sessionKey)
        .where('newest.harness', '=', harness)
        .where('newest.project', project === null ? 'is' : '=', project)
        .where('first.fingerprint', '=', fingerprint)
        .where('first.at', '=', at)
        .execute(),
    /** Counts the messages in a body, including staged ones. */
    countBody: async (bodyId: string): Promise<number> => {
      const { count } = await db
        .selectFrom('transcript_messages')
        .select(eb => eb.fn.countAll<number>().as('count'))
        .where('body_id', '=', bodyId)
        .executeTakeFirstOrThrow()
      return count
    },
  }
}

function writes(db: Kysely<Schema>) {
  return {
    stage: async (bodyId: string, messages: readonly NewTranscriptMessage[]): Promise<void> => {
      if (messages.length === 0) return
      const rows = messages.map(
        (message): Insertable<TranscriptMessagesTable> => ({
          ...message,
          body_id: bodyId,
          ...encodeText(message.text),
        }),
      )
      await db.insertInto('transcript_messages').values(rows).execute()
    },
    /**
     * Overwrites messages of a body from a position on before their deletion. @returns the number
     * overwritten.
     */
    blankMessages: async (bodyId: string, from: number, limit: number): Promise<number> => {
      const { numUpdatedRows } = await db
        .updateTable('transcript_messages')
        .set({ text: blanksFor('text') })
        .where('body_id', '=', bodyId)
        .where('position', '>=', from)
        .where('position', '<', from + limit)
        .executeTakeFirstOrThrow()
      return Number(numUpdatedRows)
    },
    dropMessages: async (bodyId: string, from: number, limit: number): Promise<number> => {
      const { numDeletedRows } = await db
        .deleteFrom('transcript_messages')
        .where('body_id', '=', bodyId)
        .where('position', '>=', from)
        .where('position', '<', from + limit)
        .executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    },
    /** Deletes the row of a transcript whose body is gone. */
    drop: async ({
      agent_id,
      session_key,
    }: Pick<TranscriptRow, 'agent_id' | 'session_key'>): Promise<void> => {
      await db
        .deleteFrom('transcripts')
        .where('agent_id', '=', agent_id)
        .where('session_key', '=', session_key)
        .execute()
    },
    /** Saves a new verdict on a transcript. */
    judge: async (
      { body_id }: Pick<TranscriptRow, 'body_id'>,
      verdict: Pick<
        NewTranscript,
        'safety_status' | 'safety_reasons' | 'safety_policy' | 'safety_scanned_at'
      >,
    ): Promise<void> => {
      await db.updateTable('transcripts').set(verdict).where('body_id', '=', body_id).execute()
    },
    /** Publishes a transcript, replacing the previous one of its session. */
    show: async (row: NewTranscript): Promise<void> => {
      await db
        .insertInto('transcripts')
        .values(row)
        .onConflict(conflict =>
          conflict.columns(['agent_id', 'session_key']).doUpdateSet(eb => ({
            harness: eb.ref('excluded.harness'),
            project: eb.ref('excluded.project'),
            body_id: eb.ref('excluded.body_id'),
            capture_id: eb.ref('excluded.capture_id'),
            messages: eb.ref('excluded.messages'),
            characters: eb.ref('excluded.characters'),
            captured_at: eb.ref('excluded.captured_at'),
            updated_at: eb.ref('excluded.updated_at'),
            safety_status: eb.ref('excluded.safety_status'),
            safety_reasons: eb.ref('excluded.safety_reasons'),
            safety_policy: eb.ref('excluded.safety_policy'),
            safety_scanned_at: eb.ref('excluded.safety_scanned_at'),
          })),
        )
        .execute()
    },
  }
}

/** UTF-8 cannot contain lone surrogates, nor PostgreSQL a NUL: such a text is stored as escaped JSON. */
function encodeText(text: string): { text: string; escaped: number } {
  return text.isWellFormed() && !text.includes('\0')
    ? { text, escaped: 0 }
    : { text: JSON.stringify(text), escaped: 1 }
}

function decodeText(text: string, escaped: number): string {
  return escaped === 1 ? (JSON.parse(text) as string) : text
}

import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'

const sweptAt = 'retention_swept_at'
const sessionsSweptAt = 'sessions_swept_at'
const synthesizedAt = 'synthesis_at'
const embeddedBy = 'embedding_model'
const checkedAt = 'integrity_checked_at'

export function metaTable(db: Kysely<Schema>) {
  return {
    /** The next number of the change sequence; call it inside the transaction of the change. */
    nextChange: (): Promise<number> => nextChanges(db, 1),
    /** Takes as many numbers of the sequence. @returns the first of them. */
    nextChanges: (count: number): Promise<number> => nextChanges(db, count),
    lastChange: async (): Promise<number> => {
      const { value } = await db
        .selectFrom('meta')
        .select('value')
        .where('key', '=', 'change')
        .executeTakeFirstOrThrow()
      return Number(value)
    },
    /** When retention last went through; undefined when it never has. */
    lastSweep: () => read(db, sweptAt),
    noteSweep: (now: string) => write(db, sweptAt, now),
    /** When abandoned sessions were last looked for; undefined when they never were. */
    lastSessionSweep: () => read(db, sessionsSweptAt),
    noteSessionSweep: (now: string) => write(db, sessionsSweptAt, now),
    /** When MEMORY.md was last made; undefined when it never was. */
    lastSynthesis: () => read(db, synthesizedAt),
    noteSynthesis: (now: string) => write(db, synthesizedAt, now),
    /** When the whole database was last found to be in order; undefined when it never was looked at. */
    lastIntegrityCheck: () => read(db, checkedAt),
    noteIntegrityCheck: (now: string) => write(db, checkedAt, now),
    /** The model that back-fill last worked with; undefined before the first. */
    lastEmbeddingModel: () => read(db, embeddedBy),
    noteEmbeddingModel: (model: string) => write(db, embeddedBy, model),
  }
}

async function nextChanges(db: Kysely<Schema>, count: number): Promise<number> {
  const { value } = await db
    .updateTable('meta')
    .set({ value: sql`CAST(value AS INTEGER) + ${count}` })
    .where('key', '=', 'change')
    .returning('value')
    .executeTakeFirstOrThrow()
  return Number(value) - count + 1
}

async function read(db: Kysely<Schema>, key: string): Promise<string | undefined> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst()
  return row?.value
}

async function write(db: Kysely<Schema>, key: string, value: string): Promise<void> {
  await db
    .insertInto('meta')
    .values({ key, value })
    .onConflict(conflict => conflict.column('key').doUpdateSet({ value }))
    .execute()
}

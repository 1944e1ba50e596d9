import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { numberedAhead } from '../../sql/direct-executor.js'
import { fixedStatement } from '../../sql/fixed-statement.js'

/** Recurring chores, each with the key of its last time. */
const choreKeys = {
  retention: 'retention_swept_at',
  'session-sweep': 'sessions_swept_at',
  synthesis: 'synthesis_at',
  integrity: 'integrity_checked_at',
  dreaming: 'dreamed_at',
} as const

export type ChoreName = keyof typeof choreKeys

/** Incremental readers, each with the key of its cursor. */
const cursorKeys = {
  'dream-memories': 'dream_memories',
  'dream-conversations': 'dream_conversations',
  'dream-artifacts': 'dream_artifacts',
  'dream-reviews': 'dream_reviews',
  'dream-seen': 'dream_seen',
  'dream-rules': 'dream_rules',
  'dream-again-memories': 'dream_again_memories',
  'dream-again-conversations': 'dream_again_conversations',
  'dream-again-artifacts': 'dream_again_artifacts',
  'shadow-memories': 'dream_shadow_memories',
  'shadow-conversations': 'dream_shadow_conversations',
  'shadow-artifacts': 'dream_shadow_artifacts',
  'shadow-seen': 'dream_shadow_seen',
  'telemetry-counted': 'telemetry_counted',
  'telemetry-delivery': 'telemetry_delivery',
} as const

export type CursorName = keyof typeof cursorKeys

const embeddedBy = 'embedding_model'
const conversion = 'vacuum_conversion'
const injected = 'injected_today'
const settings = 'settings'
const settingsChange = 'settings_change'
const lost = 'the database has lost its change sequence'

export function metaTable(db: Kysely<Schema>) {
  const raise = fixedStatement<number, { value: string }>(
    db,
    // SQLite adds numbers of JavaScript as fractions, and older releases stored 7.0.
    ({
      value,
    }) => sql`UPDATE meta SET value = CAST(CAST(value AS NUMERIC) + ${value(count => count)} AS BIGINT)
      WHERE key = 'change' RETURNING value`,
  )
  const newest = fixedStatement<undefined, { key: string; value: string }>(
    db,
    () => sql`SELECT key, value FROM meta WHERE key IN ('change', 'settings_change')`,
  )
  const news = async (): Promise<{ change: number; settings: number }> => {
    const found = new Map((await newest(undefined)).map(({ key, value }) => [key, Number(value)]))
    const change = found.get('change')
    if (change === undefined) throw new Error(lost)
    return { change, settings: found.get(settingsChange) ?? 0 }
  }
  const nextChanges = async (count: number): Promise<number> => {
    const [row] = await raise(count)
    const take = numberedAhead(db)
    if (take) return take(count)
    if (!row) throw new Error(lost)
    return Number(row.value) - count + 1
  }
  return {
    /** The next number of the change sequence; call it inside the transaction of the change. */
    nextChange: (): Promise<number> => nextChanges(1),
    /** Reserves numbers of the sequence. @returns the first of them. */
    nextChanges,
    lastChange: async (): Promise<number> => (await news()).change,
    /** The newest change, and the one that gave the team its settings; 0 before it has any. */
    news,
    /** JSON of the settings of several daemons, and their change; undefined before there are any. */
    teamSettings: async (): Promise<{ values: string; change: number } | undefined> => {
      const found = await readAll(db, [settings, settingsChange])
      const values = found.get(settings)
      return values === undefined ? undefined : { values, change: Number(found.get(settingsChange) ?? 0) }
    },
    noteTeamSettings: async (values: string, change: number): Promise<void> => {
      await write(db, settings, values)
      await write(db, settingsChange, String(change))
    },
    /** Returns when the chore last ran, ISO 8601; undefined before the first time. */
    lastDone: (name: ChoreName) => read(db, choreKeys[name]),
    noteDone: (name: ChoreName, now: string) => write(db, choreKeys[name], now),
    /** Returns a reader's cursor (a change number, a time or a release); undefined before the first. */
    placeOf: (name: CursorName) => read(db, cursorKeys[name]),
    notePlace: (name: CursorName, place: string) => write(db, cursorKeys[name], place),
    /** JSON state of the file conversion; undefined where none was ever due. */
    conversion: () => read(db, conversion),
    noteConversion: (state: string) => write(db, conversion, state),
    /** JSON of the tokens injected into sessions on the last day; undefined before the first. */
    injected: () => read(db, injected),
    noteInjected: (state: string) => write(db, injected, state),
    /** The model of the last back-fill; undefined before the first. */
    lastEmbeddingModel: () => read(db, embeddedBy),
    noteEmbeddingModel: (model: string) => write(db, embeddedBy, model),
  }
}

async function read(db: Kysely<Schema>, key: string): Promise<string | undefined> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst()
  return row?.value
}

async function readAll(db: Kysely<Schema>, keys: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.selectFrom('meta').select(['key', 'value']).where('key', 'in', keys).execute()
  return new Map(rows.map(({ key, value }) => [key, value]))
}

async function write(db: Kysely<Schema>, key: string, value: string): Promise<void> {
  await db
    .insertInto('meta')
    .values({ key, value })
    .onConflict(conflict => conflict.column('key').doUpdateSet({ value }))
    .execute()
}

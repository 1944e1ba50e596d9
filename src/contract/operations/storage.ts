import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { secretReference } from '../secrets/names.js'

const postgresUrl = /^postgres(?:ql)?:\/\/\S+$/

const postgres = z
  .string()
  .max(2000)
  .refine(
    text => (postgresUrl.test(text) && URL.canParse(text)) || secretReference.safeParse(text).success,
    'must be postgres://USER@HOST/DATABASE, or a secret reference such as MEMORY_DATABASE or env:DATABASE_URL',
  )
const schemaName = z
  .string()
  .regex(/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/, 'must be a name in lower case, such as memory or team_a')

/** Where memories are stored: in the file of the workspace, or on a PostgreSQL server (postgres.md). */
export const storageSettings = z.object({
  /** A URL, or the reference of a secret that is one. Absent: the file of the workspace. */
  postgres: postgres.optional(),
  /** The schema of this workspace; each workspace of a database has its own. */
  schema: schemaName.default('memory'),
  /** Lets several daemons with this setting serve the schema together; without it one alone may. */
  shared: z.boolean().default(false),
})

const check = z.object({
  id: z.string(),
  severity: z.enum(['ok', 'info', 'warning', 'error']),
  evidence: z.string(),
  /** The remedy, as a command or statement if there is one. */
  fix: z.string().optional(),
})
export type StorageCheck = z.infer<typeof check>

/** Facts about a server and the schema of a workspace on it. */
const server = z.object({
  version: z.string(),
  database: z.string(),
  schema: z.string(),
  role: z.string(),
  encoding: z.string(),
  collation: z.string(),
  encrypted: z.boolean(),
  /** Bytes of the tables and indexes of the schema. */
  bytes: z.int(),
  tables: z.int(),
  /** Median of a few round trips. */
  latencyMs: z.number(),
  /** Connections of the whole server. */
  connections: z.object({ used: z.int(), most: z.int() }),
  /** Connections of this daemon that read; null for a server that it does not use yet. */
  pool: z.object({ open: z.int(), idle: z.int(), waiting: z.int(), most: z.int() }).nullable(),
})
export type StorageServer = z.infer<typeof server>

const looked = {
  /** The file, or the schema, database and host: never a password. */
  place: z.string(),
  /** Null for a file, and for a server that does not answer. */
  server: server.nullable(),
  checks: z.array(check),
}

/** A store as the settings name it; without `postgres` the file of the workspace. */
const namedStore = z.object({ postgres: postgres.optional(), schema: schemaName, place: z.string() })
export type NamedStore = z.infer<typeof namedStore>

const moveFields = {
  id: z.string(),
  /** `placing` starts once both stores are equal: it is always finished. */
  phase: z.enum(['copying', 'placing', 'moved', 'failed', 'cancelled']),
  askedAt: z.string(),
  endedAt: z.string().nullable(),
  progress: z.object({
    step: z.enum(['copying', 'comparing']),
    table: z.string(),
    /** Rows of all tables. */
    done: z.int(),
    total: z.int(),
  }),
  tables: z.int(),
  rows: z.int(),
  /** Texts that lost a NUL, which a server cannot store. */
  withNul: z.int(),
  /** Why it failed. */
  problem: z.string().nullable(),
}

/** `.daemon/storage-move/move.json`: a move that survives kills, and the last one until it is confirmed. */
export const moveNote = z.object({
  ...moveFields,
  from: namedStore,
  to: namedStore,
  /** The old store after the move; null before, and where it could not be set aside. */
  old: namedStore.nullable(),
})
export type MoveNote = z.infer<typeof moveNote>

const storageMove = z.object({
  ...moveFields,
  from: z.string(),
  to: z.string(),
  /** The place of the old store, until the move is confirmed. */
  old: z.string().nullable(),
})
export type StorageMove = z.infer<typeof storageMove>

export const storageStatus = endpoint({
  method: 'GET',
  path: '/api/storage',
  summary: 'Get where memories are stored, with the state of that store',
  permission: 'diagnostics',
  mutates: false,
  response: z.object({
    kind: z.enum(['file', 'server']),
    ...looked,
    bytes: z.int().nullable(),
    schema: z.object({ applied: z.int(), known: z.int() }),
    /** The last move of the memories, until it is confirmed. */
    move: storageMove.nullable(),
  }),
})
export type StorageStatus = z.infer<typeof storageStatus.response>

export const checkStorage = endpoint({
  method: 'POST',
  path: '/api/storage/check',
  summary: 'Check whether memories can be stored on a server; without a server, check the present store',
  permission: 'admin',
  mutates: false,
  bucket: 'admin',
  // The daemon connects to the address, and reads the files that it names.
  runsPrograms: ({ to }: { to?: string }) => to !== undefined,
  body: z.strictObject({ to: postgres.optional(), schema: schemaName.default('memory') }),
  response: z.object({ ...looked, usable: z.boolean() }),
})

/** The file of the workspace, as the target of a move. */
export const fileTarget = 'sqlite'

export const moveStorage = endpoint({
  method: 'POST',
  path: '/api/storage/move',
  summary: 'Prepare a move of all memories to another store, which the next start of the daemon makes',
  permission: 'admin',
  mutates: false,
  bucket: 'admin',
  runsPrograms: true,
  isTrial: ({ body }: { body: { dryRun?: boolean } }) => body.dryRun === true,
  body: z.strictObject({
    to: z.union([z.literal(fileTarget), postgres]),
    schema: schemaName.default('memory'),
    /** Only checks the target and counts rows. */
    dryRun: z.boolean().default(false),
  }),
  response: z.object({
    from: z.string(),
    to: z.string(),
    tables: z.array(z.object({ name: z.string(), rows: z.int() })),
    rows: z.int(),
    /** Size of the present store. */
    bytes: z.int().nullable(),
    checks: z.array(check),
    /** The next start makes the move; false for a dry run. */
    prepared: z.boolean(),
  }),
})

export const confirmStorage = endpoint({
  method: 'POST',
  path: '/api/storage/confirm',
  summary: 'Confirm the last move, which removes the old store permanently',
  permission: 'admin',
  mutates: false,
  bucket: 'admin',
  runsPrograms: true,
  body: z.strictObject({ dryRun: z.boolean().default(false) }),
  response: z.object({
    /** The old store; null when there was none to remove. */
    old: z.string().nullable(),
    removed: z.boolean(),
  }),
})

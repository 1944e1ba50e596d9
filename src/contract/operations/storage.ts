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

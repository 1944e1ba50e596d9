import { onServer } from './sessions.js'
import type { PostgresSettings } from './settings.js'

// Whole schemas: the one that a move fills, which gets its name at the end, and the one that it leaves.

/** A schema as a move finds it. */
export interface FoundSchema {
  state: 'absent' | 'empty' | 'taken'
  /** The move that made it (`makeSchema`). */
  madeBy: string | null
  /** The role may make schemas in this database. */
  mayCreate: boolean
  role: string
  database: string
}

const comment = (move: string): string => `memory-service move ${move}`

/** @throws AppError `storage_unavailable`, StoreRefused, as every function here */
export function findSchema(to: PostgresSettings): Promise<FoundSchema> {
  return onServer(to, async client => {
    const { rows } = await client.query<{
      is_there: number
      tables: number
      comment: string | null
      may_create: number
      role: string
      database: string
    }>(
      `SELECT n.oid IS NOT NULL AS is_there, obj_description(n.oid, 'pg_namespace') AS comment,
        (SELECT count(*) FROM pg_class c WHERE c.relnamespace = n.oid) AS tables,
        has_database_privilege(current_database(), 'CREATE') AS may_create,
        current_user AS role, current_database() AS database
      FROM (SELECT 1) AS one LEFT JOIN pg_namespace n ON n.nspname = $1`,
      [to.schema],
    )
    const [found] = rows
    if (!found) throw new Error('the server does not tell its schemas')
    return {
      state: found.is_there === 0 ? 'absent' : found.tables === 0 ? 'empty' : 'taken',
      madeBy: /^memory-service move (\S+)$/u.exec(found.comment ?? '')?.[1] ?? null,
      mayCreate: found.may_create === 1,
      ...{ role: found.role, database: found.database },
    }
  })
}

/** Makes an empty schema that is known as that of a move; one that is there stays. */
export function makeSchema(to: PostgresSettings, move: string): Promise<void> {
  return onServer(to, async client => {
    const name = client.escapeIdentifier(to.schema)
    await client.query(
      `BEGIN; CREATE SCHEMA IF NOT EXISTS ${name};
      COMMENT ON SCHEMA ${name} IS ${client.escapeLiteral(comment(move))}; COMMIT`,
    )
  })
}

/** Gives a filled schema its name, where an empty one may be. */
export function placeSchema(from: PostgresSettings, name: string): Promise<void> {
  return onServer(from, async client => {
    const [old, next] = [from.schema, name].map(one => client.escapeIdentifier(one))
    await client.query(`BEGIN; DROP SCHEMA IF EXISTS ${next}; ALTER SCHEMA ${old} RENAME TO ${next}; COMMIT`)
  })
}

/**
 * Renames the schema that a move has left. From then on the role of the daemon may read its rows, but not
 * change them.
 */
export function setSchemaAside(from: PostgresSettings, name: string): Promise<void> {
  return onServer(from, async client => {
    const [old, next] = [from.schema, name].map(one => client.escapeIdentifier(one))
    await client.query(
      `BEGIN; ALTER SCHEMA ${old} RENAME TO ${next};
      REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA ${next} FROM CURRENT_USER; COMMIT`,
    )
  })
}

export function dropSchema(of: PostgresSettings): Promise<void> {
  return onServer(of, async client => {
    await client.query(`DROP SCHEMA IF EXISTS ${client.escapeIdentifier(of.schema)} CASCADE`)
  })
}

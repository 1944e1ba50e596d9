import type { ClientBase } from 'pg'
import { StoreRefused } from '../faults.js'
import { type MigrationState, migrations } from '../migrations/migrate.js'
import { beginning, tablesOf, triggers } from './schema.js'

/**
 * Brings the schema of the connection to the newest form; one that is absent is created. Migrations are
 * numbered as those of SQLite, and a new schema gets all of them at once.
 * @throws StoreRefused when a newer release wrote it, or the role may not create it
 */
export async function migrate(client: ClientBase, schema: string, now: Date): Promise<MigrationState> {
  const applied = await appliedIn(client, schema)
  if (applied > migrations.length)
    throw new StoreRefused(
      `the schema ${schema} is at version ${applied}, this release knows ${migrations.length}: a newer memory-service wrote it; update this one`,
    )
  await client.query('BEGIN')
  try {
    if (applied === 0) await create(client, schema)
    for (const [offset, { name, sql }] of migrations.slice(applied).entries()) {
      await client.query(tablesOf(sql))
      const own = triggers[name]
      if (own) await client.query(own)
      const row = [applied + offset + 1, name, now.toISOString()]
      await client.query('INSERT INTO migrations (version, name, applied_at) VALUES ($1, $2, $3)', row)
    }
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
  return { applied: migrations.length, known: migrations.length }
}

/** Returns the number of the last migration; 0 for a new schema. */
async function appliedIn(client: ClientBase, schema: string): Promise<number> {
  const { rows } = await client.query<{ there: string | null }>(
    `SELECT to_regclass(quote_ident($1) || '.migrations') AS there`,
    [schema],
  )
  if (rows[0]?.there == null) return 0
  const { rows: last } = await client.query<{ version: number }>(
    'SELECT COALESCE(MAX(version), 0) AS version FROM migrations',
  )
  return last[0]?.version ?? 0
}

async function create(client: ClientBase, schema: string): Promise<void> {
  const { rows } = await client.query<{ there: boolean }>(
    'SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1) AS there',
    [schema],
  )
  if (!rows[0]?.there) await client.query(`CREATE SCHEMA ${client.escapeIdentifier(schema)}`)
  await client.query(beginning)
}

import type { ClientBase } from 'pg'
import { countOf } from '../../lib/text/count-of.js'
import { StoreRefused } from '../faults.js'
import type { Migration, MigrationState } from '../migrations/migrate.js'
import { beginning, tablesOf, triggers } from './schema.js'

/** How the schema's own list names a migration beside which earlier releases serve on. */
const expanding = ' (expands)'

interface MigrateOptions {
  schema: string
  now: Date
  migrations: readonly Migration[]
  /** Counts the other daemons that serve the schema. */
  others(): Promise<number>
}

/**
 * Brings the schema of the connection to the newest form; one that is absent is created. Migrations are
 * numbered as those of SQLite, and a new schema gets all of them at once. A later release may have expanded
 * the schema: its daemons and this one serve it side by side.
 * @throws StoreRefused when a release wrote it that this one cannot serve beside, when other daemons would
 * not bear the change, or when the role may not create it
 */
export async function migrate(client: ClientBase, options: MigrateOptions): Promise<MigrationState> {
  const { schema, now, migrations } = options
  const known = migrations.length
  const { applied, compatibleFrom } = await appliedIn(client, schema)
  if (compatibleFrom > known)
    throw new StoreRefused(
      `the schema ${schema} is at version ${applied}, for releases that know ${compatibleFrom} or more; this one knows ${known}: a newer memory-service wrote it; update this one`,
    )
  if (applied >= known) return { applied, known }
  if (applied > 0) await refuseBeside(options, migrations.slice(applied))
  await client.query('BEGIN')
  try {
    if (applied === 0) await create(client, schema)
    for (const [offset, { name, sql, expands }] of migrations.slice(applied).entries()) {
      await client.query(tablesOf(sql))
      const own = triggers[name]
      if (own) await client.query(own)
      const row = [applied + offset + 1, `${name}${expands ? expanding : ''}`, now.toISOString()]
      await client.query('INSERT INTO migrations (version, name, applied_at) VALUES ($1, $2, $3)', row)
    }
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
  return { applied: known, known }
}

/** Daemons of this release would have made the change themselves, so others are of an earlier one. */
async function refuseBeside({ schema, others }: MigrateOptions, due: readonly Migration[]): Promise<void> {
  const change = due.find(({ expands }) => !expands)
  const count = change ? await others() : 0
  if (change && count > 0)
    throw new StoreRefused(
      `${countOf(count, 'daemon')} of an earlier release ${count === 1 ? 'serves' : 'serve'} the schema ${schema} and would not bear its change ${change.name}: stop them, then start this one`,
    )
}

/** Returns the number of the last migration, 0 for a new schema, and what a release has to know for it. */
async function appliedIn(
  client: ClientBase,
  schema: string,
): Promise<{ applied: number; compatibleFrom: number }> {
  const { rows } = await client.query<{ there: string | null }>(
    `SELECT to_regclass(quote_ident($1) || '.migrations') AS there`,
    [schema],
  )
  if (rows[0]?.there == null) return { applied: 0, compatibleFrom: 0 }
  const { rows: last } = await client.query<{ applied: number; from: number }>(
    `SELECT COALESCE(MAX(version), 0) AS applied,
      COALESCE(MAX(version) FILTER (WHERE name NOT LIKE '%' || $1), 0) AS from FROM migrations`,
    [expanding],
  )
  const { applied = 0, from = 0 } = last[0] ?? {}
  return { applied, compatibleFrom: from }
}

async function create(client: ClientBase, schema: string): Promise<void> {
  const { rows } = await client.query<{ there: boolean }>(
    'SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1) AS there',
    [schema],
  )
  if (!rows[0]?.there) await client.query(`CREATE SCHEMA ${client.escapeIdentifier(schema)}`)
  await client.query(beginning)
}

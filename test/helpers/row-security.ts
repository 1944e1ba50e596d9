import { randomBytes } from 'node:crypto'
import type { ExecutionContext } from 'ava'
import pg from 'pg'
import { postgresDialect } from '../../src/store/postgres/compiler.js'
import { connectionOf } from '../../src/store/postgres/settings.js'
import { ask } from '../../src/store/postgres/statements.js'
import { manyAtOnce, resultOf } from '../../src/store/postgres/writer.js'
import { createQueryBuilder, type Run } from '../../src/store/sql/direct-executor.js'
import type { ReadBoundary } from '../../src/store/tables/memory/memory-filter.js'
import { createTables, type Tables } from '../../src/store/tables/tables.js'
import { askServer } from './postgres.js'

/** The rule of `inBoundary`, written once more for the server: a second opinion on each statement. */
const policies = `
CREATE FUNCTION sees(agent TEXT, seen TEXT, of TEXT) RETURNS BOOLEAN LANGUAGE sql STABLE AS $$
  SELECT seen <> 'archived'
    AND (b -> 'agents' ? agent OR seen = 'global' AND (b ->> 'globalOf' = 'all' OR b -> 'globalOf' ? agent))
    AND (b #> '{only,project}' IS NULL OR b #>> '{only,project}' = of
      OR EXISTS (SELECT 1 FROM project_keys k WHERE k.project = b #>> '{only,project}' AND k.key = of))
  FROM (SELECT current_setting('app.boundary')::jsonb AS b) given
$$;
ALTER TABLE memories ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory_holders ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory_history ENABLE ROW LEVEL SECURITY;
CREATE POLICY reading ON memory_holders FOR SELECT USING (sees(agent_id, visibility, project));
CREATE POLICY reading ON memories FOR SELECT USING (
  (sees(agent_id, visibility, project) OR EXISTS (SELECT 1 FROM memory_holders h WHERE h.memory_id = memories.id))
  AND (current_setting('app.boundary')::jsonb #> '{only,who}' IS NULL
    OR who = current_setting('app.boundary')::jsonb #>> '{only,who}'));
CREATE POLICY reading ON memory_history FOR SELECT
  USING (EXISTS (SELECT 1 FROM memories m WHERE m.id = memory_id));
`

/**
 * Switches row security on, which the owner of the tables does not feel.
 * @param url of a database whose schema is `memory`
 * @returns the tables as a confined role reads them, who has one boundary
 */
export async function confinedReaders(
  t: ExecutionContext,
  url: string,
): Promise<(boundary: ReadBoundary) => Promise<Tables>> {
  const role = `reader_${randomBytes(6).toString('hex')}`
  await askServer(
    url,
    `SET search_path TO memory; ${policies}
    CREATE ROLE ${role} NOLOGIN; GRANT ${role} TO CURRENT_USER;
    GRANT USAGE ON SCHEMA memory TO ${role}; GRANT SELECT ON ALL TABLES IN SCHEMA memory TO ${role}`,
  )
  t.teardown(() => askServer(url, `DROP OWNED BY ${role}; DROP ROLE ${role}`))
  return async boundary => {
    const client = new pg.Client({
      ...connectionOf({ url, schema: 'memory' }),
      pipeline: true,
    } as pg.ClientConfig)
    await client.connect()
    t.teardown(() => client.end())
    await client.query(`SET search_path TO memory; SET ROLE ${role}`)
    await client.query("SELECT set_config('app.boundary', $1, false)", [JSON.stringify(boundary)])
    const run: Run = async <R>(query: Parameters<Run>[0]) => resultOf<R>(await ask(client, query))
    return createTables(createQueryBuilder(run, manyAtOnce(run), postgresDialect))
  }
}

import { randomBytes } from 'node:crypto'
import type { ExecutionContext } from 'ava'
import pg from 'pg'
import { manyAtOnce, postgresDialect } from '../../src/store/postgres/compiler.js'
import { connectionOf } from '../../src/store/postgres/settings.js'
import { ask } from '../../src/store/postgres/statements.js'
import { resultOf } from '../../src/store/postgres/writer.js'
import { createQueryBuilder, type Run } from '../../src/store/sql/direct-executor.js'
import type { ReadBoundary } from '../../src/store/tables/memory/memory-filter.js'
import { createTables, type Tables } from '../../src/store/tables/tables.js'
import { askServer } from './postgres.js'

/**
 * A reader as the server sees it: what it may read of others, its own agent, and the limits of its credential
 * (docs/knowledge.md#who-reads-what, docs/transcripts.md#reading-and-searching).
 */
export type Reader = ReadBoundary & { own?: string }

/** The rules of the product, written once more for the server: a second opinion on each statement. */
const policies = `
CREATE FUNCTION reader() RETURNS jsonb LANGUAGE sql STABLE AS $$ SELECT current_setting('app.boundary')::jsonb $$;
CREATE FUNCTION is_within(of TEXT) RETURNS BOOLEAN LANGUAGE sql STABLE AS $$
  SELECT reader() #> '{only,project}' IS NULL OR COALESCE(reader() #>> '{only,project}' = of
    OR EXISTS (SELECT 1 FROM project_keys k WHERE k.project = reader() #>> '{only,project}' AND k.key = of), FALSE)
$$;
CREATE FUNCTION sees(agent TEXT, seen TEXT, of TEXT) RETURNS BOOLEAN LANGUAGE sql STABLE AS $$
  SELECT seen <> 'archived' AND is_within(of)
    AND (b -> 'agents' ? agent OR seen = 'global' AND (b ->> 'globalOf' = 'all' OR b -> 'globalOf' ? agent))
  FROM (SELECT reader() AS b) given
$$;
CREATE FUNCTION is_of(author TEXT) RETURNS BOOLEAN LANGUAGE sql STABLE AS $$
  SELECT reader() #> '{only,who}' IS NULL OR COALESCE(author = reader() #>> '{only,who}', FALSE)
$$;
CREATE FUNCTION is_own(agent TEXT) RETURNS BOOLEAN LANGUAGE sql STABLE AS $$ SELECT agent = reader() ->> 'own' $$;
-- A conversation has no author, so a reader confined to one sees none.
CREATE FUNCTION sees_session(agent TEXT, of TEXT) RETURNS BOOLEAN LANGUAGE sql STABLE AS $$
  SELECT is_own(agent) AND is_within(of) AND reader() #> '{only,who}' IS NULL
$$;
-- In PL/pgSQL, since policies inside policies are planned again for each statement.
CREATE FUNCTION is_told(subject TEXT) RETURNS BOOLEAN LANGUAGE plpgsql STABLE AS $$
  BEGIN RETURN EXISTS (SELECT 1 FROM evidence_spans s WHERE s.subject_id = subject); END
$$;
CREATE FUNCTION is_held(memory TEXT, agent TEXT) RETURNS BOOLEAN LANGUAGE plpgsql STABLE AS $$
  BEGIN RETURN EXISTS (SELECT 1 FROM memories m WHERE m.id = memory
    AND (m.agent_id = agent AND sees(m.agent_id, m.visibility, m.project)
      OR EXISTS (SELECT 1 FROM memory_holders h WHERE h.memory_id = m.id AND h.agent_id = agent))); END
$$;
CREATE FUNCTION has_quotes(operation TEXT) RETURNS BOOLEAN LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path FROM CURRENT AS $$ SELECT EXISTS (SELECT 1 FROM evidence_spans WHERE operation_id = operation) $$;
`

/** The condition under which a reader sees a row, by table. */
const rules: Readonly<Record<string, string>> = {
  memory_holders: 'sees(agent_id, visibility, project)',
  memories: `is_of(who) AND (sees(agent_id, visibility, project)
    OR EXISTS (SELECT 1 FROM memory_holders h WHERE h.memory_id = memories.id))`,
  memory_history: 'EXISTS (SELECT 1 FROM memories m WHERE m.id = memory_id)',
  // A quote is seen with its source. Only what the agent holds itself is a source of its knowledge.
  evidence_spans: `is_own(agent_id) AND CASE source_kind
    WHEN 'memory' THEN is_held(source_id, agent_id)
    WHEN 'transcript' THEN EXISTS (SELECT 1 FROM transcripts t WHERE t.session_key = source_id)
    WHEN 'summary' THEN EXISTS (SELECT 1 FROM temporal_nodes n WHERE n.id = source_id)
    ELSE reader() -> 'only' IS NULL END`,
  claim_versions: 'is_told(id)',
  claims: 'EXISTS (SELECT 1 FROM claim_versions v WHERE v.claim_id = claims.id)',
  entity_links: 'is_told(id)',
  entities: `is_told(id)
    OR EXISTS (SELECT 1 FROM claims c WHERE c.entity_id = entities.id)
    OR EXISTS (SELECT 1 FROM entity_links l WHERE entities.id IN (l.from_id, l.to_id))`,
  entity_names: 'EXISTS (SELECT 1 FROM entities e WHERE e.id = entity_id)',
  entity_mentions: 'EXISTS (SELECT 1 FROM memories m WHERE m.id = memory_id)',
  ontology_operations: `is_own(agent_id) AND (EXISTS (SELECT 1 FROM evidence_spans s
    WHERE s.operation_id = ontology_operations.id) OR reader() -> 'only' IS NULL AND NOT has_quotes(id))`,
  ontology_proposals: 'EXISTS (SELECT 1 FROM ontology_operations o WHERE o.id = operation_id)',
  // Documents are read like global memories of their agent.
  documents: "sees(agent_id, 'global', project) AND is_of(who)",
  document_chunks: 'EXISTS (SELECT 1 FROM documents d WHERE d.id = document_id)',
  sessions: 'sees_session(agent_id, project)',
  session_logs: 'sees_session(agent_id, project)',
  session_events: `EXISTS (SELECT 1 FROM session_logs l
    WHERE l.agent_id = session_events.agent_id AND l.session_key = session_events.session_key)`,
  session_turns: 'sees_session(agent_id, project)',
  session_files: `EXISTS (SELECT 1 FROM session_turns t WHERE t.agent_id = session_files.agent_id
    AND t.session_key = session_files.session_key AND t.turn = session_files.turn)`,
  transcripts: 'sees_session(agent_id, project)',
  // A receipt has no text, and only its sender knows its id.
  transcript_captures: 'is_own(agent_id) AND is_within(project)',
  transcript_messages: 'EXISTS (SELECT 1 FROM transcripts t WHERE t.body_id = transcript_messages.body_id)',
  transcript_chunks: 'EXISTS (SELECT 1 FROM transcripts t WHERE t.body_id = transcript_chunks.body_id)',
  temporal_nodes: 'sees_session(agent_id, project)',
}

/** Tables with a rule of their own. */
export const guarded = Object.keys(rules)

const switchedOn = guarded
  .map(
    table => `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
      CREATE POLICY reading ON ${table} FOR SELECT USING (${rules[table]});`,
  )
  .join('')

/**
 * Switches row security on, which the owner of the tables does not feel.
 * @param url of a database whose schema is `memory`
 * @returns the tables as a confined role reads them, for one reader
 */
export async function confinedReaders(
  t: ExecutionContext,
  url: string,
): Promise<(reader: Reader) => Promise<Tables>> {
  const role = `reader_${randomBytes(6).toString('hex')}`
  await askServer(
    url,
    `SET search_path TO memory; ${policies} ${switchedOn}
    CREATE ROLE ${role} NOLOGIN; GRANT ${role} TO CURRENT_USER;
    GRANT USAGE ON SCHEMA memory TO ${role}; GRANT SELECT ON ALL TABLES IN SCHEMA memory TO ${role}`,
  )
  t.teardown(() => askServer(url, `DROP OWNED BY ${role}; DROP ROLE ${role}`))
  return async reader => {
    const client = new pg.Client({
      ...connectionOf({ url, schema: 'memory' }),
      pipeline: true,
    } as pg.ClientConfig)
    await client.connect()
    t.teardown(() => client.end())
    await client.query(`SET search_path TO memory; SET jit TO off; SET ROLE ${role}`)
    await client.query("SELECT set_config('app.boundary', $1, false)", [JSON.stringify(reader)])
    const run: Run = async <R>(query: Parameters<Run>[0]) => resultOf<R>(await ask(client, query))
    return createTables(createQueryBuilder(run, manyAtOnce(run), postgresDialect))
  }
}

import { AppError, notFound } from '../../../../contract/ground/errors.js'
import {
  type DatabaseSchema,
  type TableGroup,
  type TableSample,
  tableGroups,
} from '../../../../contract/operations/diagnostics.js'
import { quoted } from '../../../../lib/text/clip.js'
import { withoutSecrets } from '../../../../lib/text/without-secrets.js'
import type { CatalogueColumn, CatalogueTable, SampledValue } from '../../../../store/sql/catalogue.js'
import type { Tables } from '../../../../store/tables/tables.js'

/** Tables by topic; tables missing here are `other`. */
const groups: Readonly<Record<Exclude<TableGroup, 'internal' | 'other'>, readonly string[]>> = {
  core: [
    ...['memories', 'memory_hints', 'memory_holders', 'memory_vectors', 'cold_memories', 'agents'],
    ...['projects', 'project_keys', 'project_places', 'project_changes'],
    ...['memory_accesses', 'memory_access_log'],
    ...['documents', 'document_chunks', 'document_texts'],
    ...[
      'sources',
      'source_artifacts',
      'source_texts',
      'source_chunks',
      'source_chunk_vectors',
      'source_links',
    ],
    ...['transcripts', 'transcript_messages', 'transcript_chunks'],
    ...['temporal_nodes', 'temporal_edges', 'temporal_memories', 'compactions'],
    ...['entities', 'entity_names', 'entity_links', 'entity_mentions'],
    ...['claims', 'claim_versions', 'claim_premises'],
  ],
  provenance: [
    ...['memory_history', 'evidence_spans', 'ontology_operations', 'ontology_proposals', 'dream_passes'],
    'ontology_changes',
    ...[
      'transcript_captures',
      'transcript_imports',
      'transcript_import_files',
      'transcript_import_rejections',
    ],
    ...['transcript_import_fingerprints', 'connectors', 'connector_files', 'connector_results'],
    ...['source_index_jobs', 'source_checkpoints', 'source_faults'],
  ],
  runtime: [
    ...['jobs', 'nodes', 'node_duties', 'sessions', 'session_logs', 'session_events'],
    ...['recall_sessions', 'recalled_memories'],
    ...['agent_messages', 'agent_message_acks', 'agent_message_relays', 'attentions'],
    ...['api_keys', 'oauth_records'],
    ...['scheduled_tasks', 'task_runs', 'skill_uses', 'telemetry_events', 'inference_usage'],
    'telemetry_counts',
    ...['transcript_import_bodies', 'repair_operations', 'repair_runs', 'vector_quarantine'],
    ...['recall_records', 'recall_record_results', 'continuity_scores'],
    ...['session_turns', 'session_files'],
    ...['code_projects', 'code_ties'],
    ...['sync_state', 'sync_memories', 'sync_texts', 'sync_purged', 'sync_agents', 'sync_outbox'],
    'sync_segments',
  ],
}

/** Tables of the database itself and of its migrations. */
const internal = new Set(['meta', 'migrations'])

/**
 * Characters of a text that are read and shown. More is read, so that a secret on the cut is still
 * recognised.
 */
const maxRead = 4000
const maxShown = 500

/** Columns that always contain secrets. */
const secretColumn = /(?:secret|password|passphrase|credential|token|private_key)$/iu
const secretColumns = new Set(['api_keys.hash', 'oauth_records.hash', 'oauth_records.payload'])

/**
 * Reads some rows of a table.
 * @throws AppError `not_found` for an unknown name, `validation_failed` for an index, a virtual table or a
 * table of SQLite.
 */
export async function sampleTable(
  { catalogue }: Tables,
  name: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<TableSample> {
  const table = (await catalogue.tables()).find(one => one.name === name)
  if (!table && (await catalogue.isIndex(name)))
    throw new AppError('validation_failed', `${quoted(name)} is an index: it has no rows of its own`)
  if (!table)
    throw notFound(`table ${quoted(name)} not found`, 'GET /api/diagnostics/database/schema lists them')
  if (!maySample(table))
    throw new AppError(
      'validation_failed',
      `${quoted(name)} belongs to the database itself or is virtual: its rows are not shown`,
    )
  const columns = await catalogue.columns(name)
  const rowCount = await catalogue.count(name)
  const rows =
    offset < rowCount ? await catalogue.sample(table, columns, { limit, offset, maxLength: maxRead }) : []
  return {
    table: name,
    columns,
    rows: rows.map(row =>
      Object.fromEntries(
        row.map((value, at) => [columns[at]!.name, shown(name, columns[at] as CatalogueColumn, value)]),
      ),
    ),
    limit,
    offset,
    rowCount,
    hasMore: offset + rows.length < rowCount,
  }
}

/** A value fit to be shown: without vectors and secrets, and shortened. */
function shown(
  table: string,
  column: CatalogueColumn,
  { kind, value, bytes }: SampledValue,
): string | number | null {
  if (kind === 'null') return null
  if (secretColumn.test(column.name) || secretColumns.has(`${table}.${column.name}`)) return '[secret]'
  if (kind === 'blob') return `[${bytes} bytes]`
  if (kind !== 'text') return value
  const text = withoutSecrets(value as string)
  return text.length > maxShown ? `${text.slice(0, maxShown).toWellFormed()}… [${bytes} bytes]` : text
}

/** Describes the tables of the database with their row counts. */
export async function describeSchema({ catalogue }: Tables, now: string): Promise<DatabaseSchema> {
  const tables: DatabaseSchema['tables'] = []
  for (const table of await catalogue.tables()) tables.push(await describe(catalogue, table))
  const count = (group: string): number => tables.filter(table => table.group === group).length
  return {
    generatedAt: now,
    groups: Object.fromEntries(tableGroups.map(group => [group, count(group)])) as DatabaseSchema['groups'],
    tables,
  }
}

async function describe(
  catalogue: Tables['catalogue'],
  table: CatalogueTable,
): Promise<DatabaseSchema['tables'][number]> {
  const { name, kind, sql } = table
  const sampleAllowed = maySample(table)
  return {
    name,
    group: groupOf(table),
    kind,
    rowCount: sampleAllowed ? await catalogue.count(name) : null,
    sampleAllowed,
    columns: await catalogue.columns(name),
    indexes: await catalogue.indexes(name),
    foreignKeys: await catalogue.references(name),
    sql,
  }
}

function groupOf({ name, kind }: Pick<CatalogueTable, 'name' | 'kind'>): TableGroup {
  if (name.startsWith('sqlite_') || kind === 'virtual' || kind === 'shadow' || internal.has(name))
    return 'internal'
  const found = Object.entries(groups).find(([, names]) => names.includes(name))
  return (found?.[0] as TableGroup | undefined) ?? 'other'
}

function maySample({ name, kind }: Pick<CatalogueTable, 'name' | 'kind'>): boolean {
  return (kind === 'table' || kind === 'view') && !name.startsWith('sqlite_')
}

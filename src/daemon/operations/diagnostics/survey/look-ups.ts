import { AppError, notFound } from '../../../../contract/ground/errors.js'
import {
  type ContentSafetyList,
  type DatabaseSchema,
  type SafetySourceKind,
  type SafetyStatus,
  safetySourceKinds,
  type TableGroup,
  type TableSample,
  tableGroups,
} from '../../../../contract/operations/diagnostics.js'
import { quoted } from '../../../../lib/text/clip.js'
import { withoutSecrets } from '../../../../lib/text/without-secrets.js'
import type { CatalogueColumn, CatalogueTable, SampledValue } from '../../../../store/sql/catalogue.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { takeSurvey } from './survey.js'

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
 * Queries that read more rows than a request may on the event loop. They run on the diagnostics thread, or on
 * this one when the database can't be opened twice.
 */
export const lookUps = {
  survey: takeSurvey,
  schema: describeSchema,
  sample: sampleTable,
  safety: listSafety,
  chunks: async ({ transcriptChunks, sourceChunks }: Tables) => ({
    transcripts: await transcriptChunks.countAlive(),
    artifacts: await sourceChunks.countAlive(),
  }),
  aliveIds: ({ rowDamage }: Tables, after: string, limit: number) => rowDamage.aliveIds(after, limit),
} satisfies Record<string, (tables: Tables, ...given: never[]) => Promise<unknown>>

export type LookUp = keyof typeof lookUps
type LookUpArguments<F> = F extends (tables: Tables, ...given: infer Given) => unknown ? Given : never
export type LookUpInput<Name extends LookUp> = LookUpArguments<(typeof lookUps)[Name]>
export type LookUpAnswer<Name extends LookUp> = Awaited<ReturnType<(typeof lookUps)[Name]>>

/** Filter of verdicts; `agentId` null includes all agents. */
export interface SafetyFilter {
  agentId: string | null
  status: SafetyStatus | undefined
  sourceKind: SafetySourceKind | undefined
  limit: number
  offset: number
}

export type SafetyPage = Pick<ContentSafetyList, 'counts' | 'items' | 'total' | 'hasMore'>

/**
 * Reads some rows of a table.
 * @throws AppError `not_found` for an unknown name, `validation_failed` for an index, a virtual table or a
 * table of SQLite.
 */
async function sampleTable(
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
async function describeSchema({ catalogue }: Tables, now: string): Promise<DatabaseSchema> {
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

/** Content safety verdicts with counts, grouped by kind, newest first within a kind. */
async function listSafety({ safetyVerdicts }: Tables, question: SafetyFilter): Promise<SafetyPage> {
  const { agentId, status, sourceKind, limit, offset } = question
  const counts = emptyCounts()
  for (const row of await safetyVerdicts.count(agentId))
    counts[row.kind as SafetySourceKind][row.status as SafetyStatus] = row.count
  const kinds = safetySourceKinds.filter(kind => sourceKind === undefined || kind === sourceKind)
  const totalOf = (kind: SafetySourceKind): number => {
    const { clean, tainted, blocked } = counts[kind]
    return status === undefined ? clean + tainted + blocked : counts[kind][status]
  }
  const items: ContentSafetyList['items'] = []
  let skip = offset
  for (const kind of kinds) {
    const total = totalOf(kind)
    if (items.length < limit && skip < total) {
      const page = { limit: limit - items.length, offset: skip }
      const rows = await safetyVerdicts.list(kind, { agentId, status: status ?? null }, page)
      items.push(...rows.map(row => ({ ...row, sourceKind: kind, ...verdictOf(row) })))
    }
    skip = Math.max(0, skip - total)
  }
  const total = kinds.reduce((sum, kind) => sum + totalOf(kind), 0)
  return { counts, items, total, hasMore: offset + items.length < total }
}

function verdictOf(row: { status: string; reasons: string }) {
  return {
    status: row.status as SafetyStatus,
    reasons: row.reasons.split(',').filter(Boolean) as ContentSafetyList['items'][number]['reasons'],
  }
}

function emptyCounts(): ContentSafetyList['counts'] {
  return Object.fromEntries(
    safetySourceKinds.map(kind => [kind, { clean: 0, tainted: 0, blocked: 0 }]),
  ) as ContentSafetyList['counts']
}

import type { TableGroup } from '../../../../contract/operations/diagnostics.js'
import type { CatalogueTable } from '../../../../store/sql/catalogue.js'

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

export function groupOf({ name, kind }: Pick<CatalogueTable, 'name' | 'kind'>): TableGroup {
  if (name.startsWith('sqlite_') || kind === 'virtual' || kind === 'shadow' || internal.has(name))
    return 'internal'
  const found = Object.entries(groups).find(([, names]) => names.includes(name))
  return (found?.[0] as TableGroup | undefined) ?? 'other'
}

export function maySample({ name, kind }: Pick<CatalogueTable, 'name' | 'kind'>): boolean {
  return (kind === 'table' || kind === 'view') && !name.startsWith('sqlite_')
}

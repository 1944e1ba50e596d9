import { randomUUID } from 'node:crypto'
import type { ExecutionContext } from 'ava'
import type { Database, Statement } from 'better-sqlite3'
import { nameKey } from '../../src/daemon/ground/entities/name-key.js'
import { policyVersion } from '../../src/daemon/safety/verdict-columns.js'
import type { TestDaemon } from './daemon.js'
import { openRaw } from './store.js'

export interface TestEntity {
  name: string
  aliases?: readonly string[]
  retired?: readonly string[]
  agentId?: string
  attributes?: readonly TestAttribute[]
}

interface TestAttribute {
  aspect?: string
  content: string
  score: number
  status?: string
  project?: string
}

const at = '2026-01-01T00:00:00.000Z'

/** Stores entities as operations leave them, each value with a source memory. */
export function storeEntities(
  t: ExecutionContext,
  { paths }: Pick<TestDaemon, 'paths'>,
  entities: readonly TestEntity[],
) {
  const raw = openRaw(t, paths.database)
  const put = (table: string, row: Record<string, unknown>) => insert(raw, table, row)
  raw.transaction(() => {
    for (const { name, aliases = [], retired = [], agentId = 'default', attributes = [] } of entities) {
      const id = randomUUID()
      const times = { created_at: at, updated_at: at }
      const agent_id = agentId
      const shown = { name, name_key: nameKey(name), entity_type: 'thing', pinned: 0, mentions: 0 }
      put('entities', { id, agent_id, ...shown, ...times })
      for (const one of [name, ...aliases])
        put('entity_names', { agent_id, name_key: nameKey(one), entity_id: id, name: one, active: 1 })
      for (const one of retired)
        put('entity_names', { agent_id, name_key: nameKey(one), entity_id: id, name: one, active: 0 })
      for (const attribute of attributes) putValue(raw, { id, agentId }, attribute)
    }
  })()
}

function putValue(
  raw: Database,
  entity: { id: string; agentId: string },
  { aspect = 'note', content, score, status = 'current', project }: TestAttribute,
): void {
  const [claim, version, memory, operation] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  const agent_id = entity.agentId
  insert(raw, 'claims', {
    id: claim,
    agent_id,
    entity_id: entity.id,
    aspect,
    aspect_key: nameKey(aspect),
    group_name: 'general',
    group_key: 'general',
    claim: 'text',
    claim_key: claim,
    kind: 'attribute',
    created_at: at,
  })
  const value = { value: content, value_hash: content, confidence: score, status, project }
  insert(raw, 'claim_versions', {
    ...{ id: version, claim_id: claim, entity_id: entity.id, recorded_at: at },
    ...value,
  })
  insert(raw, 'memories', memoryRow(raw, { id: memory, agent_id, content, project }))
  const how = { operation: 'assert_claim', payload: '{}', reason: 'a test', confidence: score }
  const by = { mode: 'apply', status: 'applied', changed_by: 'test', actor_type: 'operator', request_id: 'r' }
  insert(raw, 'ontology_operations', { id: operation, agent_id, ...how, ...by, created_at: at })
  insert(raw, 'evidence_spans', {
    ...{ id: randomUUID(), agent_id, operation_id: operation, subject_id: version },
    ...{ source_kind: 'memory', source_id: memory, quote: content, span_start: 0, span_end: content.length },
  })
}

/** A memory outside the index, so that only prompts use the facts drawn from it. */
function memoryRow(raw: Database, fields: Record<string, unknown>) {
  const change = raw
    .prepare("UPDATE meta SET value = value + 1 WHERE key = 'change' RETURNING value")
    .pluck()
    .get()
  const text = { type: 'fact', importance: 0.1, tags: '', pinned: 0, content_hash: String(fields.id) }
  const origin = { hash_space: '', extraction_status: 'none', memory_kind: 'episodic', visibility: 'global' }
  const times = { created_at: at, updated_at: at, updated_by: 'test' }
  const verdict = { safety_status: 'clean', safety_reasons: '', safety_policy: policyVersion }
  return {
    ...text,
    ...origin,
    ...times,
    ...verdict,
    safety_scanned_at: at,
    change: Number(change),
    ...fields,
  }
}

/** By database and text: preparing a statement takes ten times as long as running it. */
const statements = new WeakMap<Database, Map<string, Statement>>()

function insert(raw: Database, table: string, row: Record<string, unknown>): void {
  const fields = Object.entries(row).filter(([, value]) => value !== undefined)
  const names = fields.map(([name]) => name).join(', ')
  const text = `INSERT INTO ${table} (${names}) VALUES (${fields.map(() => '?').join(', ')})`
  const made = statements.get(raw) ?? new Map<string, Statement>()
  statements.set(raw, made)
  const statement = made.get(text) ?? raw.prepare(text)
  made.set(text, statement)
  statement.run(fields.map(([, value]) => value))
}

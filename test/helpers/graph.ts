import type { ExecutionContext } from 'ava'
import type { TestDaemon } from './daemon.js'
import { operation, perform } from './ontology.js'
import { openRaw } from './store.js'

const at = '2026-01-01T00:00:00.000Z'
const types = ['tool', 'person', 'project', 'place', 'concept', 'service', 'team', 'file', 'library', 'event']

/** Stores entities of ten types with a quote each, and two relations from each to earlier ones. */
export async function storeGraph(t: ExecutionContext, daemon: TestDaemon, count: number): Promise<void> {
  const quote = 'Every part of the harbour is known'
  const memory = await daemon.remember(quote)
  await perform(daemon, [operation('create_entity', { name: 'harbour', type: 'place' }, { [memory]: quote })])
  const raw = openRaw(t, daemon.paths.database)
  const numbers = `WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${count - 1})`
  const type = `CASE i % ${types.length} ${types.map((name, position) => `WHEN ${position} THEN '${name}'`).join(' ')} END`
  // Half of the relations stay inside one of twenty groups, half lead to a well-known entity.
  const ends = [`'part-' || max(1, i - 20)`, `'part-' || (1 + (i * 7919) % max(1, i / 9 + 1))`]
  raw.transaction(() => {
    raw.exec(`INSERT INTO entities
      (id, agent_id, name, name_key, entity_type, pinned, mentions, created_at, updated_at)
      ${numbers} SELECT 'part-' || i, 'default', 'part ' || i, 'part ' || i, ${type}, 0, ${count} / i, '${at}', '${at}'
      FROM numbers`)
    for (const [side, end] of ends.entries())
      raw.exec(`INSERT INTO entity_links
        (id, agent_id, from_id, relation, relation_key, to_id, status, confidence, recorded_at)
        ${numbers} SELECT 'link-${side}-' || i, 'default', 'part-' || i, 'uses', 'uses', ${end}, 'current', 0.5, '${at}'
        FROM numbers WHERE ${end} <> 'part-' || i ON CONFLICT DO NOTHING`)
    const supported = `SELECT id FROM entities WHERE id LIKE 'part-%' UNION ALL SELECT id FROM entity_links`
    raw
      .prepare(`INSERT INTO evidence_spans
        (id, agent_id, operation_id, subject_id, source_kind, source_id, quote)
        SELECT 'span-' || id, 'default', (SELECT id FROM ontology_operations LIMIT 1), id, 'memory', ?, ?
        FROM (${supported})`)
      .run(memory, quote)
  })()
}

import { nameKey } from '../../src/daemon/ground/entities/name-key.js'
import BetterSqlite from '../../src/store/sqlite/connection/driver.js'

const everyMs = 300_000
const importances = [0.8, 0.8, 0.8, 0.5, 1, 0.3]
const projects = ['/shop', '/bank', null, '/farm']

export interface Fill {
  memories: number
  sessions: number
  entities: number
  /** Facts of each entity, one by default. */
  claims?: number
}

/** Fills a database as after months of use: memories of four projects, sessions of one, and entities. */
export function fill(file: string, { claims = 1, ...counts }: Fill): void {
  const raw = new BetterSqlite(file)
  const start = Date.now() - counts.memories * everyMs
  const at = new Date(start).toISOString()
  const memory =
    raw.prepare(`INSERT INTO memories (id, content, content_hash, hash_space, type, importance, tags, pinned,
    project, extraction_status, created_at, updated_at, updated_by, memory_kind, agent_id, visibility, safety_status,
    safety_reasons, safety_policy, safety_scanned_at, change)
    VALUES (?, ?, ?, '', 'fact', ?, '', ?, ?, 'none', ?, ?, 'bench', 'episodic', 'default', 'global', 'clean', '', '1', ?, ?)`)
  const node =
    raw.prepare(`INSERT INTO temporal_nodes (id, agent_id, kind, depth, source_type, source_ref, session_key,
    harness, project, content, meta, safety_status, safety_policy, starts_at, ends_at, created_at)
    VALUES (?, 'default', 'session', 0, 'transcript', ?, ?, 'bench', '/shop', ?, '{}', 'clean', '1', ?, ?, ?)`)
  const entity =
    raw.prepare(`INSERT INTO entities (id, agent_id, name, name_key, entity_type, pinned, mentions,
    created_at, updated_at) VALUES (?, 'default', ?, ?, 'thing', 0, 0, ?, ?)`)
  const name = raw.prepare(`INSERT INTO entity_names VALUES ('default', ?, ?, ?, 1)`)
  const claim =
    raw.prepare(`INSERT INTO claims (id, agent_id, entity_id, aspect, aspect_key, group_name, group_key,
    claim, claim_key, kind, created_at)
    VALUES (?, 'default', ?, 'note', 'note', 'general', 'general', ?, ?, 'attribute', ?)`)
  const version =
    raw.prepare(`INSERT INTO claim_versions (id, claim_id, entity_id, value, value_hash, confidence, status,
    recorded_at) VALUES (?, ?, ?, 'a known fact', 'h', 0.9, 'current', ?)`)
  const operation =
    raw.prepare(`INSERT INTO ontology_operations (id, agent_id, operation, payload, reason, confidence,
    mode, status, changed_by, actor_type, request_id, created_at)
    VALUES (?, 'default', 'assert_claim', '{}', 'bench', 0.9, 'apply', 'applied', 'bench', 'operator', 'r', ?)`)
  const span =
    raw.prepare(`INSERT INTO evidence_spans (id, agent_id, operation_id, subject_id, source_kind, source_id,
    quote, span_start, span_end) VALUES (?, 'default', ?, ?, 'memory', ?, 'the harbour crane', 15, 32)`)
  raw.transaction(() => {
    for (let n = 0; n < counts.memories; n++) {
      const created = new Date(start + n * everyMs).toISOString()
      const content = `memory ${n} about the harbour crane `.repeat(6)
      const isPinned = n % 5000 === 0 ? 1 : 0
      const project = projects[n % projects.length]
      memory.run(
        `m${n}`,
        content,
        `h${n}`,
        importances[n % 6],
        isPinned,
        project,
        created,
        created,
        created,
        n + 1,
      )
    }
    for (let n = 0; n < counts.sessions; n++) {
      const ended = new Date(start + n * everyMs).toISOString()
      node.run(`n${n}`, `old ${n}`, `old ${n}`, 'repaired the crane and tested it '.repeat(30), at, ended, at)
    }
    for (let n = 0; n < counts.entities; n++) {
      const called = `word${n % 3000} crane ${n}`
      const key = nameKey(called)
      entity.run(`e${n}`, called, key, at, at)
      name.run(key, `e${n}`, called)
      for (let number = 0; number < claims; number++) {
        const one = `${n} ${number}`
        const word = `state${number}`
        claim.run(`c${one}`, `e${n}`, word, word, at)
        version.run(`v${one}`, `c${one}`, `e${n}`, at)
        operation.run(`o${one}`, at)
        span.run(`s${one}`, `o${one}`, `v${one}`, `m${(n + number) % counts.memories}`)
      }
    }
  })()
  raw.close()
}

import BetterSqlite from 'better-sqlite3'
import { nameKey } from '../../src/daemon/ground/entities/name-key.js'

const everyMs = 300_000
const importances = [0.8, 0.8, 0.8, 0.5, 1, 0.3]
const projects = ['/shop', '/bank', null, '/farm']

/** Fills a database as months of use leave it: memories of four projects, sessions of one, known entities. */
export function fill(file: string, counts: { memories: number; sessions: number; entities: number }): void {
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
  const entity = raw.prepare(`INSERT INTO entities VALUES (?, 'default', ?, 'thing', ?, ?)`)
  const name = raw.prepare(`INSERT INTO entity_names VALUES ('default', ?, ?, 1)`)
  const attribute = raw.prepare(
    `INSERT INTO entity_attributes VALUES (?, ?, 'note', 'a known fact', 0.9, 'current', NULL, ?, ?)`,
  )
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
      entity.run(`e${n}`, called, at, at)
      name.run(nameKey(called), `e${n}`)
      attribute.run(`a${n}`, `e${n}`, at, at)
    }
  })()
  raw.close()
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { contentHash } from '../../src/daemon/memory/records/normalise-content.js'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import type { MemoryEntry } from '../../src/store/index/collections.js'
import { openStore } from '../../src/store/sqlite/database.js'
import { SyntheticMemories } from '../index/synthetic.js'

export const dimensions = 384
const batch = 500
const distinctVectors = 5000
/** The model recorded with the stored vectors; the fake provider answers under its name. */
export const model = { provider: 'openai', model: 'synthetic' }

/** Makes an empty workspace for one measurement. */
export function temporaryWorkspace(settings: object = { embedding: { provider: 'none' } }): {
  folder: string
  remove(): void
} {
  const folder = mkdtempSync(join(tmpdir(), 'memory-bench-'))
  writeFileSync(join(folder, 'agent.yaml'), stringify({ backup: { enabled: false }, ...settings }))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/**
 * Fills the workspace of a stopped daemon with synthetic memories, and with their vectors by default. It
 * writes past the API, since filling is not measured.
 */
export async function fillWorkspace(
  folder: string,
  rows: number,
  { vectors: withVectors = true }: { vectors?: boolean } = {},
): Promise<SyntheticMemories> {
  const memories = new SyntheticMemories(11, dimensions)
  const vectors = Array.from({ length: Math.min(rows, distinctVectors) }, () => memories.vector())
  const store = openStore(workspacePaths(folder).database, new Date())
  for (let start = 0; start < rows; start += batch)
    await store.transaction(async ({ memories: memoryTable, vectors: vectorTable, meta }) => {
      const count = Math.min(rows - start, batch)
      const entries = Array.from({ length: count }, (_, position) => memories.entry(start + position))
      const first = await meta.nextChanges(count)
      await memoryTable.insert(
        entries.map((entry, position) => ({ ...toRow(entry), change: first + position })),
      )
      if (!withVectors) return
      await vectorTable.put(
        entries.map(({ id }, position) => ({
          memoryId: id,
          ...model,
          vector: vectors[(start + position) % vectors.length] as Float32Array,
        })),
        now,
      )
    })
  await store.close()
  return memories
}

const now = '2026-01-01T00:00:00.000Z'

function toRow(entry: MemoryEntry) {
  const created = new Date(entry.createdAt).toISOString()
  return {
    id: entry.id,
    content: entry.content,
    content_hash: contentHash(`${entry.id} ${entry.content}`),
    hash_space: '',
    type: entry.type,
    importance: entry.importance,
    tags: entry.tags.join(','),
    pinned: entry.pinned ? 1 : 0,
    who: entry.who,
    project: entry.project,
    scope: null,
    session_id: entry.session,
    extraction_status: 'none',
    embedding_model: model.model,
    created_at: created,
    updated_at: created,
    updated_by: 'bench',
    memory_kind: 'episodic',
    agent_id: entry.agentId,
    visibility: 'global',
    safety_status: 'clean',
    safety_reasons: '',
    safety_rules: '',
    safety_policy: '1',
    safety_scanned_at: created,
  }
}

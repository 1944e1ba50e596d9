import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ImportReply } from '../../src/contract/operations/transfer.js'
import type { TestDaemon } from './daemon.js'

/** Sends a file of JSON Lines to an import. */
export async function importInto(
  { url }: TestDaemon,
  body: string,
  { query = '', type = 'application/x-ndjson' } = {},
): Promise<{ status: number; body: ImportReply & { code?: string; error?: string; details?: unknown } }> {
  const response = await fetch(`${url}/api/import?${query}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body,
  })
  return { status: response.status, body: (await response.json()) as never }
}

/** Lines of JSON. */
export const textOf = (lines: readonly object[]) => lines.map(line => `${JSON.stringify(line)}\n`).join('')
export const header = { kind: 'header', format: 'memory-service-export', version: 1 }

export const memoryLine = (id: string, fields: object = {}) => ({
  kind: 'memory',
  id,
  content: `memory ${id}`,
  type: 'fact',
  importance: 0.8,
  created_at: '2026-01-01T00:00:00.000Z',
  ...fields,
})

/** The `created` event of a memory. */
export function eventLine(memoryId: string): object {
  return {
    kind: 'event',
    id: `event of ${memoryId}`,
    memoryId,
    event: 'created',
    oldContent: null,
    changedBy: 'x',
    actorType: 'operator',
    reason: 'r',
    createdAt: '2026-01-01T00:00:00Z',
  }
}

/** An export file with a header and these lines. */
export const fileOf = (...lines: object[]) => textOf([header, ...lines])

/** Imports the memories of another program twice, and undoes each import. */
export async function importFromProgram({ call, paths }: Pick<TestDaemon, 'call' | 'paths'>): Promise<void> {
  const graph = join(paths.root, 'memory.jsonl')
  writeFileSync(graph, JSON.stringify({ type: 'entity', name: 'Relay', observations: ['is on port 9123'] }))
  const from = { from: 'memory-json' as const, paths: [graph] }
  for (let run = 0; run < 2; run++) {
    await call('POST /api/import/from', { body: from })
    await call('POST /api/import/undo', { body: from })
  }
}

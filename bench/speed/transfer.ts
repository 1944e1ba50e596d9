import { exportFormat, type TransferLineInput } from '../../src/contract/operations/transfer.js'
import { dimensions } from '../daemon/workspace.js'
import { SyntheticMemories } from '../index/synthetic.js'
import type { Server } from './build.js'

/** Rows a second. */
export interface Transfer {
  imported: number
  exported: number
}

const now = '2026-01-01T00:00:00.000Z'
/** Rows in one request, whose body has a size limit. */
const rowsInRequest = 50_000

/** Imports synthetic memories from an export file, which every build accepts, and exports them again. */
export async function fillByImport({ port }: Server, rows: number): Promise<Transfer> {
  const url = `http://127.0.0.1:${port}`
  const memories = new SyntheticMemories(11, dimensions)
  let importMs = 0
  for (let first = 0; first < rows; first += rowsInRequest) {
    const body = linesOf(memories, first, Math.min(rowsInRequest, rows - first))
    const started = performance.now()
    const headers = { 'content-type': 'application/x-ndjson' }
    const reply = await fetch(`${url}/api/import`, { method: 'POST', headers, body })
    if (!reply.ok) throw new Error(`the import answered ${reply.status} ${await reply.text()}`)
    await reply.arrayBuffer()
    importMs += performance.now() - started
  }
  const started = performance.now()
  await (await fetch(`${url}/api/export`)).arrayBuffer()
  const perSecond = (ms: number): number => rows / (ms / 1000)
  return { imported: perSecond(importMs), exported: perSecond(performance.now() - started) }
}

function linesOf(memories: SyntheticMemories, first: number, count: number): string {
  const rows = Array.from({ length: count }, (_, position): TransferLineInput => {
    const { id, content, type, importance, tags, who, project, session, hints, createdAt } = memories.entry(
      first + position,
    )
    return {
      ...{
        kind: 'memory',
        id,
        content,
        type: type as 'fact',
        importance,
        tags: [...tags],
        who,
        hints: [...hints],
      },
      ...{ project, session_id: session, created_at: new Date(createdAt).toISOString() },
    }
  })
  const lines: TransferLineInput[] = [
    { kind: 'header', format: exportFormat, version: 1, exportedAt: now },
    ...rows,
    { kind: 'end', memories: count, events: 0 },
  ]
  return lines.map(line => `${JSON.stringify(line)}\n`).join('')
}

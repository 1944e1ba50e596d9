import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import { chunkType } from '../../../store/tables/memory/memory-filter.js'

/** The kind of source of a note of a harness's own: the path is its file in the workspace. */
export const noteSource = 'native-note'

/** Where a memory came from is told with who saved it first: who may not know of them is told of neither. */
export const untold = {
  session_id: null,
  source_id: null,
  source_path: null,
  runtime_path: null,
  idempotency_key: null,
} as const

/** A row without where it came from, but for what the memory itself is kept by: a chunk's source, a note's file. */
export function withoutOrigin(row: MemoryRow): MemoryRow {
  const { type, source_id, source_type, source_path } = row
  return {
    ...row,
    ...untold,
    ...(type === chunkType && { source_id }),
    ...(source_type === noteSource && { source_path }),
  }
}

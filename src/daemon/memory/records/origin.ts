import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import { chunkType } from '../../../store/tables/memory/memory-filter.js'
import { withoutOrigin } from '../../../store/tables/memory/origin.js'

/** Source type of a harness's own note; the path is its file in the workspace. */
export const noteSource = 'native-note'

/** Removes a row's origin, except what the memory itself depends on: a chunk's source, a note's file. */
export function stripOrigin(row: MemoryRow): MemoryRow {
  const { type, source_id, source_type, source_path } = row
  return {
    ...withoutOrigin(row),
    ...(type === chunkType && { source_id }),
    ...(source_type === noteSource && { source_path }),
  }
}

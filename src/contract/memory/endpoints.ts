import type { EndpointShape } from '../ground/endpoint.js'
import * as change from './change.js'
import * as changeStream from './change-stream.js'
import * as feedback from './feedback.js'
import * as memory from './memory.js'
import * as notes from './native-note.js'
import * as record from './record.js'
import * as search from './search.js'
import * as vectors from './search.js'

/** Endpoints for saving, searching and changing memories. */
export const memoryEndpoints = [
  memory.remember,
  memory.recall,
  feedback.feedback,
  feedback.judgeMemory,
  record.listMemories,
  record.countMemories,
  changeStream.streamChanges,
  record.getMemory,
  change.deleteMemory,
  change.forget,
  record.memoryHistory,
  change.recoverMemory,
  change.recoverMemories,
  change.listRemovals,
  record.memoryLineage,
  change.patchMemory,
  change.modify,
  change.tombstoneMemory,
  change.supersedeMemory,
  notes.nativeNote,
  search.recallByGet,
  search.searchMemories,
  search.similarMemories,
  vectors.exportVectors,
  vectors.embedderStatus,
] as const satisfies readonly EndpointShape[]

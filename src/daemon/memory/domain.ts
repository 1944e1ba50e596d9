/**
 * The memory area: what happens to a memory from the save to the day it is forgotten.
 *
 * `remember/` saves, `recall/` finds and ranks, `edit/` changes and recovers, `forget/` removes, `records/`
 * reads rows and writes their history, `search/` looks up by words or similarity, `vectors/` makes missing
 * vectors. Requests come in through the routes below, and from sessions and knowledge as function calls.
 * Rows go to `src/store/tables/memory`, then to the index. Transcripts, documents and entities belong to
 * other areas; recall reads them through the ground floor and the tables.
 */

import * as changes from '../../contract/memory/change.js'
import { feedback as feedbackEndpoint, judgeMemory as judgeEndpoint } from '../../contract/memory/feedback.js'
import * as contract from '../../contract/memory/memory.js'
import * as notes from '../../contract/memory/native-note.js'
import * as records from '../../contract/memory/record.js'
import type { Domain } from '../platform/domain.js'
import { lateRoutes } from '../platform/http/bind-all.js'
import { createSafetyRescan } from './records/rescan-safety.js'

export const memory: Domain = {
  routes: lateRoutes(
    [
      contract.remember,
      contract.recall,
      feedbackEndpoint,
      judgeEndpoint,
      changes.forget,
      records.listMemories,
      records.countMemories,
      records.getMemory,
      records.memoryHistory,
      records.memoryLineage,
      notes.nativeNote,
      changes.modify,
      changes.patchMemory,
      changes.supersedeMemory,
      changes.tombstoneMemory,
      changes.recoverMemory,
      changes.recoverMemories,
      changes.listRemovals,
      changes.deleteMemory,
    ],
    () => import('./routes.js'),
  ),
  workers: [createSafetyRescan],
}

import type { NewRecallRecord, NewRecallResult } from '../../../store/tables/operations/recall-records.js'
import type { LateWriter } from './late-writer.js'

/** A recorded recall (telemetry.md 5). */
export interface RecordedRecall {
  record: NewRecallRecord
  results: readonly NewRecallResult[]
}

export type RecallRecorder = LateWriter<RecordedRecall>

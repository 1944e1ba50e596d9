import type { SearchParameters } from '../../../../contract/memory/memory.js'
import type { MemoryFilter, ReadBoundary } from '../../../../store/tables/memory/memory-filter.js'
import type { RecallSession } from '../../../../store/tables/memory/recall-ledger.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import type { StepReport } from '../ranking/run-steps.js'
import type { GraphReader } from './find-paths.js'

/** A recall in progress. */
export interface RecallRequest {
  caller: Caller
  body: SearchParameters
  boundary: ReadBoundary
  filter: MemoryFilter
  /** Undefined without a session key. */
  ledger: RecallLedger | undefined
  /** Undefined when the settings disable every use of the ontology. */
  graph: GraphReader | undefined
  /** True when ties of rows to code are read. */
  code: boolean
  report: StepReport
}

/** Ids that a session was shown before this recall, and its ratings. */
export interface RecallLedger {
  session: RecallSession
  /** Ids shown in the current context epoch. */
  recalled: ReadonlySet<string>
  /** -1 to 1 by memory id, from all epochs. */
  ratings: ReadonlyMap<string, number>
}

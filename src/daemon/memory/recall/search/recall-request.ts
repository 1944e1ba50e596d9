import type { SoughtBody } from '../../../../contract/memory/memory.js'
import type { MemoryFilter, ReadBoundary } from '../../../../store/tables/memory/memory-filter.js'
import type { RecallSession } from '../../../../store/tables/memory/recall-ledger.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import type { StepReport } from '../ranking/run-steps.js'
import type { GraphReader } from './graph/find-paths.js'

/** A recall while it is worked on. */
export interface RecallRequest {
  caller: Caller
  body: SoughtBody
  boundary: ReadBoundary
  filter: MemoryFilter
  /** Undefined without a session key. */
  ledger: RecallLedger | undefined
  /** Undefined where the settings switch off everything that reads the ontology. */
  graph: GraphReader | undefined
  /** Whether the ties of rows to code are read. */
  code: boolean
  report: StepReport
}

/** The ids that a session was shown before this recall, and how it rated them. */
export interface RecallLedger {
  session: RecallSession
  /** Ids that it was shown in its current context epoch. */
  recalled: ReadonlySet<string>
  /** -1 to 1 by memory id, whatever the epoch. */
  ratings: ReadonlyMap<string, number>
}

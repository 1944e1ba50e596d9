import type { RepairReply } from '../../../contract/operations/repair.js'
import type { RepairName } from '../../../contract/operations/repair-names.js'

/** What the person asked for, beside the name. */
export interface RepairWishes {
  agent?: string | undefined
  semantic: boolean
  threshold?: number | undefined
  all: boolean
}

type Body = Record<string, unknown>

/** What one call is asked for, as large a share as it takes. */
export function bodyOf(name: RepairName, wishes: RepairWishes, dryRun: boolean): Body {
  const agent = wishes.agent === undefined ? {} : { agentId: wishes.agent }
  const of: Partial<Record<RepairName, Body>> = {
    'check-fts': { repair: !dryRun },
    're-embed': { dryRun, fullSweep: true },
    're-embed-migration': { ...agent, dryRun, all: wishes.all },
    'clean-orphans': { ...agent, dryRun, maxBatches: 100 },
    'resync-vectors': { ...agent, dryRun, maxBatches: 100 },
    deduplicate: {
      dryRun,
      batchSize: 500,
      semanticEnabled: wishes.semantic,
      ...(wishes.threshold !== undefined && { semanticThreshold: wishes.threshold }),
    },
    'relink-entities': { ...agent, dryRun },
    'prune-generic-entities': { ...agent, dryRun, candidateLimit: 500, inspectionLimit: 5000 },
  }
  return of[name] ?? { dryRun }
}

/** What the next call is asked for; undefined when nothing is left, or another call would come no further. */
export function nextBody(body: Body, reply: RepairReply): Body | undefined {
  const { details = {} } = reply
  const status = 'status' in reply ? reply.status : details.status
  const isWhole = details.complete === true || status === 'complete'
  const isStuck =
    !reply.success || ['paused', 'bytes', 'cancelled', 'provider'].includes(String(details.reason))
  const goesOn = details.complete === false || status === 'running' || status === 'partial'
  if (isWhole || isStuck || !goesOn) return undefined
  return { ...body, ...(details.cursor ? { cursor: details.cursor } : {}) }
}

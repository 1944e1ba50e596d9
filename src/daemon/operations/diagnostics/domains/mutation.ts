import type { DomainReport } from '../../../../contract/operations/diagnostics-domains.js'
import { countOf } from '../../../../lib/text/count-of.js'
import { pipelineMode } from '../../../ground/settings/pipeline-mode.js'
import { type DiagnosticsInput, finding, fine, scored } from '../findings/finding.js'
import { settingsFindings } from './agents.js'

/** Forgetting this share of all memories, and at least `muchCount`, within a day is worth a warning. */
const muchShare = 0.2
const muchCount = 50

/** Reports whether memories can be changed, and how many changed in the last day. */
export function mutationDomain(look: DiagnosticsInput): DomainReport<'mutation'> {
  const { daemon, survey } = look
  const { settings } = daemon.configuration()
  const frozen = settings.memory.pipelineV2.mutationsFrozen
  const of = (event: string): number => survey.events.find(one => one.event === event)?.count ?? 0
  const recent = {
    recentCreates: of('created'),
    recentModifies: of('modified'),
    recentDeletes: of('deleted'),
    recentRecovers: of('recovered'),
  }
  return {
    ...scored([
      frozen ? frozenFinding : fine('writes', 'allowed'),
      ...lossFindings(recent, survey.memories.alive),
      ...settingsFindings(look),
    ]),
    frozen,
    mode: pipelineMode(settings),
    ...recent,
  }
}

const frozenFinding = finding({
  id: 'writes',
  severity: 'warning',
  evidence: 'frozen: saving, changing and forgetting are disabled',
  fix: 'memory config set memory.pipelineV2.mutationsFrozen false',
})

function lossFindings(
  { recentDeletes, recentRecovers }: Record<'recentDeletes' | 'recentRecovers', number>,
  alive: number,
) {
  const lost = recentDeletes - recentRecovers
  if (lost < muchCount || lost < (alive + lost) * muchShare) return []
  return [
    finding({
      id: 'many-deletes',
      severity: 'warning',
      evidence: `${countOf(recentDeletes, 'memory', 'memories')} forgotten in the last day, ${recentRecovers} recovered, ${alive} left`,
      count: recentDeletes,
      fix: 'memory list --forgotten shows them, memory recover ID brings one back within 30 days; memory history ID says who forgot it',
    }),
  ]
}

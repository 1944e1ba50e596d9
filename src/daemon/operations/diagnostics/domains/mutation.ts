import type { DomainReport } from '../../../../contract/operations/diagnostics-domains.js'
import { countOf } from '../../../../lib/text/count-of.js'
import { pipelineMode } from '../../../ground/settings/pipeline-mode.js'
import { finding, fine, scored } from '../findings/finding.js'
import type { Look } from '../findings/look.js'

/** A day in which such a part of all memories was forgotten, and so many of them, is worth a look. */
const muchShare = 0.2
const muchCount = 50

/** Whether memories can be changed, and what was done to them of late. */
export function mutationDomain({ daemon, survey }: Look): DomainReport<'mutation'> {
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
    ]),
    frozen,
    mode: pipelineMode(settings),
    ...recent,
  }
}

const frozenFinding = finding({
  id: 'writes',
  severity: 'warning',
  evidence: 'frozen: nothing can be saved, changed or forgotten',
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
      evidence: `${countOf(recentDeletes, 'memory', 'memories')} forgotten in the last day, ${recentRecovers} brought back, ${alive} left`,
      count: recentDeletes,
      fix: 'memory list --forgotten shows them, memory recover ID --reason "..." brings one back within 30 days; memory history ID says who forgot it',
    }),
  ]
}

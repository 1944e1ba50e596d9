import type { DomainReport } from '../../../../contract/operations/diagnostics-domains.js'
import { countOf } from '../../../../lib/text/count-of.js'
import { labelOf } from '../../../../lib/text/labels.js'
import { dreamStatus } from '../../../knowledge/dreaming/schedule/status.js'
import { type DiagnosticsInput, damageFinding, finding, fine, scored } from '../findings/finding.js'
import { isGraphTable, orphanRemedy } from './storage.js'

type Dreaming = Pick<Awaited<ReturnType<typeof dreamStatus>>, 'mode' | 'enabled' | 'passes' | 'queue'>

/** More proposals than a person reviews in one go. */
const manyProposals = 200
/** This many failed passes in a row are not a coincidence. */
const failedPasses = 3

/** Health of the knowledge graph. */
export async function graphDomain(look: DiagnosticsInput): Promise<DomainReport<'graph'>> {
  const { survey } = look
  const { rows, graph } = survey
  const entities = rows.entities ?? 0
  return {
    ...scored([
      fine(
        'graph',
        `${countOf(entities, 'entity', 'entities')}, ${countOf(graph.currentVersions, 'current fact')}`,
      ),
      dreamingFinding(await dreamStatus(look.daemon)),
      ...proposalFindings(graph.pendingProposals),
      ...brokenFindings(survey.damage),
    ]),
    entities,
    claims: rows.claims ?? 0,
    currentVersions: graph.currentVersions,
    links: rows.entity_links ?? 0,
    mentions: rows.entity_mentions ?? 0,
    pendingProposals: graph.pendingProposals,
    waitingAttentions: graph.waitingAttentions,
  }
}

/** Whether Dreaming runs, and whether its last passes succeeded. */
export function dreamingFinding({ mode, enabled, passes, queue }: Dreaming) {
  const id = 'dreaming'
  if (!enabled || mode === 'disabled')
    return finding({ id, severity: 'info', evidence: 'off: no facts are extracted' })
  if (mode === 'paused')
    return finding({
      id,
      severity: 'info',
      evidence: 'paused: no facts are extracted until it is resumed',
      fix: 'memory pipeline resume',
    })
  const ended = passes.filter(({ outcome }) => outcome !== 'running')
  const waiting = Object.values(queue).reduce((sum, count) => sum + count, 0)
  const evidence = `${labelOf('pipelineMode', mode)}, ${countOf(waiting, 'queued item')}, last pass ${ended[0]?.endedAt ?? 'never'}`
  const failed = ended.slice(0, failedPasses).filter(({ outcome }) => outcome === 'failed')
  if (failed.length < failedPasses) return fine(id, evidence)
  return finding({
    id,
    severity: 'warning',
    evidence: `${evidence}: the last 3 passes failed`,
    fix: 'memory daemon logs, then memory dream run --wait',
  })
}

function proposalFindings(pending: number) {
  if (pending < manyProposals) return []
  return [
    finding({
      id: 'many-proposals',
      severity: 'info',
      evidence: `${countOf(pending, 'proposal')} waiting for review`,
      count: pending,
      fix: 'memory review',
    }),
  ]
}

function brokenFindings(damage: DiagnosticsInput['survey']['damage']) {
  return [
    ...damage
      .filter(({ id, table }) => id.startsWith('orphaned-') && isGraphTable(table))
      .flatMap(({ id, table }) =>
        damageFinding(damage, id, count => `${countOf(count, 'orphaned row')} in ${table}`, {
          ...orphanRemedy(table),
        }),
      ),
    ...damageFinding(
      damage,
      'miscounted-mentions',
      count => `${countOf(count, 'entity', 'entities')} with a wrong mention count`,
      { repair: 'relink-entities', fix: 'memory repair relink-entities' },
    ),
    ...damageFinding(
      damage,
      'unnamed-entities',
      count => `${countOf(count, 'entity', 'entities')} without a name entry`,
      { repair: 'relink-entities', fix: 'memory repair relink-entities' },
    ),
    ...damageFinding(
      damage,
      'groundless-values',
      count => `${countOf(count, 'current fact')} without evidence`,
      { fix: 'memory ontology explain ENTITY' },
    ),
  ]
}

import type { DomainReport } from '../../../../contract/operations/diagnostics-domains.js'
import { countOf } from '../../../../lib/text/count-of.js'
import { dreamStatus } from '../../../knowledge/dreaming/schedule/status.js'
import { damageFinding, finding, fine, scored } from '../findings/finding.js'
import type { Look } from '../findings/look.js'
import { cleaning, isOfGraph } from './storage.js'

type Dreaming = Pick<Awaited<ReturnType<typeof dreamStatus>>, 'mode' | 'enabled' | 'passes' | 'queue'>

/** So many proposals are more than somebody looks through in one go. */
const manyProposals = 200
/** So many passes that failed in a row are no accident. */
const failedPasses = 3

/** What is known of entities, and whether it holds together. */
export async function graphDomain(look: Look): Promise<DomainReport<'graph'>> {
  const { survey } = look
  const { rows, graph } = survey
  const entities = rows.entities ?? 0
  return {
    ...scored([
      fine(
        'graph',
        `${countOf(entities, 'entity', 'entities')}, ${countOf(graph.currentVersions, 'value')} in force`,
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

/** Whether what was said is read again, and whether the last passes came to an end. */
export function dreamingFinding({ mode, enabled, passes, queue }: Dreaming) {
  const id = 'dreaming'
  if (!enabled || mode === 'disabled')
    return finding({ id, severity: 'info', evidence: 'off: nothing is read again' })
  if (mode === 'paused')
    return finding({
      id,
      severity: 'info',
      evidence: 'paused: nothing is read again until it is resumed',
      fix: 'memory pipeline resume',
    })
  const ended = passes.filter(({ outcome }) => outcome !== 'running')
  const waiting = Object.values(queue).reduce((sum, count) => sum + count, 0)
  const evidence = `${mode}, ${countOf(waiting, 'thing waits', 'things wait')}, last pass ${ended[0]?.endedAt ?? 'never'}`
  const failed = ended.slice(0, failedPasses).filter(({ outcome }) => outcome === 'failed')
  if (failed.length < failedPasses) return fine(id, evidence)
  return finding({
    id,
    severity: 'warning',
    evidence: `${evidence}: the last three failed`,
    fix: 'memory daemon logs, then memory dream run --wait',
  })
}

function proposalFindings(pending: number) {
  if (pending < manyProposals) return []
  return [
    finding({
      id: 'many-proposals',
      severity: 'info',
      evidence: `${countOf(pending, 'proposal')} waiting for a decision`,
      count: pending,
      fix: 'memory ontology proposals',
    }),
  ]
}

function brokenFindings(damage: Look['survey']['damage']) {
  return [
    ...damage
      .filter(({ id, table }) => id.startsWith('orphaned-') && isOfGraph(table))
      .flatMap(({ id, table }) =>
        damageFinding(damage, id, count => `${countOf(count, 'row')} of ${table} belonging to nothing`, {
          ...cleaning(table),
        }),
      ),
    ...damageFinding(
      damage,
      'miscounted-mentions',
      count => `${countOf(count, 'entity', 'entities')} whose mentions are not those that they count`,
      { repair: 'relink-entities', fix: 'memory repair relink-entities' },
    ),
    ...damageFinding(
      damage,
      'unnamed-entities',
      count => `${countOf(count, 'entity', 'entities')} that no name leads to`,
      { repair: 'relink-entities', fix: 'memory repair relink-entities' },
    ),
    ...damageFinding(
      damage,
      'groundless-values',
      count => `${countOf(count, 'value')} in force that rest on no quote`,
      { fix: 'memory ontology explain ENTITY' },
    ),
  ]
}

import type { Attention } from '../../../../store/tables/knowledge/attentions.js'
import { type Pass, scopeOf } from '../pass/pass.js'
import type { Ended } from './ended.js'

/** What rests on one source, as far as it is looked at. */
const maxSubjects = 500

/**
 * What was drawn from a source that speaks for nothing any more. Where others say it too, all is well; what rests on it
 * alone stays as it is and is told to nobody, until its source is back or somebody says it again.
 */
export async function lookAtUnsupported(pass: Pass, attention: Attention): Promise<Ended> {
  const { agent_id: agentId, subject_kind: kind, subject: id } = attention
  const { claims, evidenceSpans } = pass.deps.store.tables
  const { reader } = scopeOf(pass, agentId, null)
  const subjects = await evidenceSpans.subjectsOf(agentId, { kind, id }, maxSubjects)
  if (subjects.length === 0) return kind === 'source' ? { state: 'declined' } : { state: 'empty' }
  const held = (await claims.loadVersions(subjects)).filter(({ status }) => status === 'current')
  const told = await claims.toldVersions(
    held.map(version => version.id),
    reader.boundary,
  )
  const silent = held.filter(version => !told.has(version.id)).length
  return silent === 0 ? { state: 'done' } : { state: 'declined', detail: JSON.stringify({ silent }) }
}

import type { Reply } from '../../../contract/api.js'
import { countOf } from '../../../lib/count-of.js'
import { plainLine } from '../../text.js'
import type { DoctorContext, Outcome } from './finding.js'

/** One that never was read may be none. */
function fixOf({ id, lastIndexedAt }: Reply<'GET /api/sources'>['sources'][number]): string {
  const again = `memory sources sync ${id} --wait`
  return lastIndexedAt === null ? `memory sources remove ${id}, or mend it and ${again}` : again
}

/** Sources that cannot be read, lack what they may not read, or have not moved for long. */
export async function checkSources({ call }: DoctorContext): Promise<Outcome> {
  const { sources } = await call('GET /api/sources')
  const ill = sources.flatMap(source => {
    const { health, indexJob, id, name } = source
    const [issue] = health.permission.issues
    const told = (why: string, fix: string) => [{ why: `${plainLine(name)}: ${plainLine(why)}`, fix }]
    if (issue) return told(`${issue.path} is denied`, plainLine(issue.guidance))
    if (indexJob?.status === 'failed')
      return told(indexJob.statusMessage ?? 'its reading failed', fixOf(source))
    if (indexJob?.status === 'paused')
      return told(`paused (${indexJob.pauseReason ?? 'unknown'})`, `memory sources resume ${id}`)
    if (health.checkpoints.stale > 0)
      return told(
        `${countOf(health.checkpoints.stale, 'checkpoint')} not moved for a week`,
        `memory sources sync ${id} --wait`,
      )
    return []
  })
  const [first] = ill
  if (!first) return { severity: 'ok', evidence: countOf(sources.length, 'source') }
  return {
    severity: 'warning',
    evidence: `${ill.length} of ${countOf(sources.length, 'source')} not in order, ${first.why}`,
    fix: first.fix,
  }
}

import { join } from 'node:path'
import { countOf } from '../../../lib/text/count-of.js'
import { label } from '../../../lib/text/one-line.js'
import type { DoctorContext, Outcome } from './finding.js'

/** Faults that are named; the rest is counted. */
const mostNamed = 5

/**
 * Skills whose SKILL.md is broken: agents leave such a skill out, or do not know when to use it (skills.md 2). Folders
 * that are no skill at all are worth knowing of.
 */
export async function checkSkills({ call, paths }: DoctorContext): Promise<Outcome> {
  const { skills, count, skipped } = await call('GET /api/skills')
  const broken = skills.filter(({ problems }) => problems.length > 0)
  if (broken.length > 0) {
    const [first] = broken
    return {
      severity: 'warning',
      evidence: named(
        broken.map(({ name, problems }) => `${label(name)}: ${label(problems.join('; '), 200)}`),
      ),
      fix: `edit ${join(first!.path, 'SKILL.md')}`,
    }
  }
  const installed = count === 0 ? 'none installed' : countOf(count, 'skill')
  if (skipped.length === 0) return { severity: 'ok', evidence: installed }
  const folders = named(skipped.map(({ name, reason }) => `${label(name)}: ${reason}`))
  return {
    severity: 'info',
    evidence: `${installed}; no skill in ${paths.skills}: ${folders}`,
  }
}

function named(faults: readonly string[]): string {
  const more = faults.length - mostNamed
  return [...faults.slice(0, mostNamed), ...(more > 0 ? [`${more} more`] : [])].join('; ')
}

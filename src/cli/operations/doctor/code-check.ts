import { countOf } from '../../../lib/text/count-of.js'
import { clipText, plainLine } from '../../terminal/text.js'
import type { DoctorContext, Outcome } from './finding.js'

/** Memories that are named at most. */
const mostNamed = 3

/** Memories that name code which changed or is gone since; while the plugin is off nothing is asked. */
export async function checkCode({ call }: DoctorContext): Promise<Outcome> {
  const { plugins } = await call('GET /api/plugins')
  const state = plugins.find(({ id }) => id === 'service.codeindex')?.state
  if (state !== 'active' && state !== 'degraded') return { severity: 'ok', evidence: 'the code index is off' }
  const { memories, count } = await call('GET /api/code/moved', { query: { limit: 100 } })
  if (count === 0) return { severity: 'ok', evidence: 'no memory names code that changed since' }
  const named = memories.slice(0, mostNamed).map(({ id, content, moved }) => {
    const ground = moved.map(({ target, state: how }) => `${target} ${how}`).join(', ')
    return `${id} "${clipText(plainLine(content), 60)}" (${plainLine(ground)})`
  })
  const more = count > named.length ? `; and ${count - named.length} more` : ''
  return {
    severity: 'info',
    evidence: `${countOf(count, 'memory names', 'memories name')} code that changed since: ${named.join('; ')}${more}`,
    fix: 'memory edit ID or memory supersede ID where it no longer holds',
  }
}

import type { Reply } from '../../../contract/api.js'
import type { DoctorContext, Outcome } from './finding.js'

type Plugin = Reply<'GET /api/plugins'>['plugins'][number]

/** Plugins that do not do what they should, and those that wait for a decision. */
export async function checkPlugins({ call }: DoctorContext): Promise<Outcome> {
  const { plugins } = await call('GET /api/plugins')
  const broken = plugins.filter(({ state }) => state === 'blocked' || state === 'degraded')
  const [first] = broken
  if (first) {
    const evidence = broken.map(({ id, state, reason }) => `${id} is ${state}: ${reason}`).join('; ')
    return { severity: 'warning', evidence, fix: remedyFor(first) }
  }
  const waiting = plugins.find(
    ({ enabled, pendingCapabilities }) => enabled && pendingCapabilities.length > 0,
  )
  if (waiting) {
    const evidence = `${waiting.id} was not granted ${waiting.pendingCapabilities.join(', ')}`
    return { severity: 'info', evidence, fix: `memory plugins show ${waiting.id}` }
  }
  return { severity: 'ok', evidence: plugins.map(({ id, state }) => `${id} is ${state}`).join(', ') }
}

/** A plugin that came with the daemon has a sound manifest: it is blocked until somebody decides on it again. */
function remedyFor({ id, bundled, state }: Plugin): string {
  if (bundled && state === 'blocked') return `memory plugins enable ${id} (or disable ${id})`
  return `memory plugins show ${id}`
}

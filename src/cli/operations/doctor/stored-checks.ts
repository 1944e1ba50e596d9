import { ClientError } from '../../../client/client-error.js'
import type { Reply } from '../../../contract/api.js'
import { domainNames } from '../../../contract/operations/diagnostics-names.js'
import type { DoctorContext, Finding } from './finding.js'

type Report = Reply<'GET /api/diagnostics'>

/** Told where nobody could look: each stands for all that its domain looks at. */
export const storedChecks = domainNames.filter(name => name !== 'composite')

/** The disk of this machine is looked at without a daemon too. */
const lookedAtHere = new Set(['free-space'])

/** What the daemon finds in what it stores, as it tells everybody (operations.md 3.1). @throws ClientError */
export async function lookAtStored({
  call,
  remote,
}: Pick<DoctorContext, 'call' | 'remote'>): Promise<Finding[]> {
  const report = await call('GET /api/diagnostics', { query: { refresh: true } }).catch(unlessOlder)
  if (!report)
    return [
      {
        ...unrepaired,
        id: 'diagnostics',
        severity: 'info',
        evidence: 'not looked at: the daemon is of an older release',
        fix: 'memory daemon restart',
      },
    ]
  return storedChecks
    .flatMap(domain => report[domain].findings)
    .filter(({ id }) => remote !== undefined || !lookedAtHere.has(id))
    .map(({ id, severity, evidence, fix }) => ({
      ...unrepaired,
      id,
      severity,
      evidence,
      ...(fix && { fix }),
    }))
}

const unrepaired = { fixable: false, fixed: false } as const

function unlessOlder(error: unknown): Report | undefined {
  if (error instanceof ClientError && error.status === 404) return undefined
  throw error
}

import { join } from 'node:path'
import type { DomainReport } from '../../../../contract/operations/diagnostics-domains.js'
import { spooledFiles } from '../../../../lib/files/spool.js'
import { maxQueueBytes } from '../../../../lib/files/tool-queue-files.js'
import { countOf } from '../../../../lib/text/count-of.js'
import { labelOf } from '../../../../lib/text/labels.js'
import { type DiagnosticsInput, damageFinding, finding, fine, scored } from '../findings/finding.js'
import { agentFindings } from './agents.js'

/** This many hooks queued while the daemon runs means they are not being delivered. */
const manyHooks = 50
const countedDays = 90

/** Health of the connected coding agents and of their reports. */
export async function harnessDomain(look: DiagnosticsInput): Promise<DomainReport<'openclaw'>> {
  const { daemon, survey } = look
  const { hookSpool } = daemon.paths
  const spooled = spooledFiles(hookSpool).length
  const failed = spooledFiles(join(hookSpool, 'failed')).length
  const failedCaptures = survey.captures.captures
    .filter(({ status }) => status === 'failed')
    .reduce((sum, { count }) => sum + count, 0)
  const missing = survey.captures.files.reduce((sum, one) => sum + one.missing, 0)
  return {
    ...scored([
      fine('harnesses', sessionSummary(survey.sessions)),
      ...(await agentFindings(look)),
      ...hookFindings(spooled, failed),
      ...ruleFindings(look),
      ...(await queueFindings(look)),
      ...captureFindings(failedCaptures, missing),
      ...damageFinding(
        survey.damage,
        'orphaned-transcript-messages',
        count => `texts of ${countOf(count, 'conversation')} that nothing refers to`,
      ),
    ]),
    harnesses: survey.sessions.map(({ harness, sessions, open, seen }) => ({
      harness,
      sessions,
      open,
      lastSeenAt: seen,
    })),
    spooledHooks: spooled,
    failedHooks: failed,
  }
}

/** Sessions that capture rules leave out are nowhere else, so their number says why nothing is there. */
function ruleFindings({ daemon: { requestCounts, clock } }: DiagnosticsInput) {
  const days = requestCounts.daily.last(countedDays, clock())
  const count = days.reduce((sum, { leftOut }) => sum + leftOut, 0)
  if (count === 0) return []
  return [
    finding({
      id: 'left-out-hooks',
      severity: 'info',
      evidence: `capture rules left out ${countOf(count, 'call')} of hooks in ${countedDays} days`,
      count,
      fix: 'memory capture status says which rule decides',
    }),
  ]
}

/** Hooks note no more tools of a session whose file is full; agents without a readable log lose them. */
async function queueFindings({ daemon: { toolQueues } }: DiagnosticsInput) {
  const sizes = await Promise.all((await toolQueues.keys()).map(key => toolQueues.sizeOf(key)))
  const count = sizes.filter(size => size >= maxQueueBytes).length
  if (count === 0) return []
  return [
    finding({
      id: 'full-tool-queues',
      severity: 'info',
      evidence: `${countOf(count, 'session')} noted more uses of tools than the queue takes; later ones are left to the log`,
      count,
      fix: 'it ends with the session',
    }),
  ]
}

function sessionSummary(sessions: DiagnosticsInput['survey']['sessions']): string {
  if (sessions.length === 0) return 'no agent has reported a session yet'
  const words = sessions.map(
    ({ harness, sessions: count, open }) =>
      `${labelOf('harness', harness)} ${countOf(count, 'session')}${open > 0 ? `, ${open} open` : ''}`,
  )
  return words.join('; ')
}

function hookFindings(spooled: number, failed: number) {
  return [
    ...(spooled < manyHooks
      ? []
      : [
          finding({
            id: 'spooled-hooks',
            severity: 'warning',
            evidence: `${countOf(spooled, 'hook')} waiting for delivery`,
            count: spooled,
            fix: 'memory daemon logs',
          }),
        ]),
    ...(failed === 0
      ? []
      : [
          finding({
            id: 'failed-hooks',
            severity: 'info',
            evidence: `${countOf(failed, 'hook')} could not be delivered; they are in .daemon/hook-spool/failed`,
            count: failed,
            fix: 'memory daemon logs says why; delete the files once you have seen them',
          }),
        ]),
  ]
}

function captureFindings(failed: number, missing: number) {
  return [
    ...(failed === 0
      ? []
      : [
          finding({
            id: 'failed-captures',
            severity: 'info',
            evidence: `${countOf(failed, 'capture')} of conversations failed`,
            count: failed,
            fix: 'memory daemon logs',
          }),
        ]),
    ...(missing === 0
      ? []
      : [
          finding({
            id: 'missing-files',
            severity: 'warning',
            evidence: `${countOf(missing, 'file')} of compactions missing on disk; their summaries are in the database`,
            count: missing,
          }),
        ]),
  ]
}

import { ClientError } from '../../../client/client-error.js'
import { daemonChecks } from './daemon-checks.js'
import { daemonFileChecks } from './daemon-file-checks.js'
import type { DaemonStatus, DoctorContext, Finding, LocalCheck, Outcome, Severity } from './finding.js'
import { machineChecks } from './machine-checks.js'
import { lookAtStored, storedChecks } from './stored-checks.js'

export interface Diagnosis {
  /** Nothing needs action: no warning and no error. */
  healthy: boolean
  counts: Record<Severity, number>
  findings: Finding[]
}

/** What is being looked at, told before each check. */
export type OnCheck = (id: string) => void

const portCheck: LocalCheck = { id: 'port', run: checkPort }

/**
 * Runs every check, the ones of this machine first: what they find explains why a daemon does not answer. With
 * SERVICE_DAEMON_URL the files of the workspace belong to nobody, so they are not checked.
 * @param options `fix` repairs what is safe and looks again.
 */
export async function diagnose(
  context: DoctorContext,
  options: { fix: boolean; onCheck?: OnCheck },
): Promise<Diagnosis> {
  const findings: Finding[] = []
  const local = [...machineChecks, ...daemonFileChecks, portCheck]
  const own = context.remote ? local.filter(({ id }) => id === 'node-version') : local
  for (const check of [...own, ...context.harnesses]) {
    options.onCheck?.(check.id)
    findings.push(await examine(check.id, () => check.run(context), options.fix))
  }
  options.onCheck?.('daemon')
  const status = await context.call('GET /api/status').catch((error: unknown) => failed(error))
  if ('severity' in status) findings.push(...withoutDaemon(status))
  else findings.push(...(await examineDaemon(context, status, options)))
  return summarise(findings)
}

async function examineDaemon(
  context: DoctorContext,
  status: DaemonStatus,
  { fix, onCheck }: { fix: boolean; onCheck?: OnCheck },
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const check of daemonChecks) {
    onCheck?.(check.id)
    findings.push(await examine(check.id, () => check.run(context, status), fix))
  }
  onCheck?.('every row')
  const stored = await lookAtStored(context).catch(error => [findingOf('diagnostics', failed(error), false)])
  return [...findings, ...stored]
}

/** One check, its repair when asked for, and the look after it. A check that throws is a finding, never the end. */
async function examine(id: string, run: () => Promise<Outcome>, fix: boolean): Promise<Finding> {
  const outcome = await run().catch(failed)
  if (!fix || !outcome.repair) return findingOf(id, outcome, false)
  const error = await outcome.repair().then(
    () => undefined,
    (cause: Error) => cause,
  )
  if (error) {
    return findingOf(id, { ...outcome, evidence: `${outcome.evidence}; not fixed: ${error.message}` }, false)
  }
  const after = await run().catch(failed)
  return findingOf(id, after, after.severity === 'ok')
}

function findingOf(id: string, { severity, evidence, fix, repair }: Outcome, fixed: boolean): Finding {
  return { id, severity, evidence, fix, fixable: repair !== undefined, fixed }
}

function failed(error: unknown): Outcome {
  const evidence = error instanceof Error ? error.message : String(error)
  const fix = (error instanceof ClientError ? error.nextSteps[0] : undefined) ?? 'memory daemon logs'
  return { severity: 'error', evidence, fix }
}

/** The daemon's own finding, and the rest as not checked, so that a reader of the JSON finds every id. */
function withoutDaemon(outcome: Outcome): Finding[] {
  const skipped: Outcome = { severity: 'info', evidence: 'not checked: no daemon answers' }
  const ids = [...daemonChecks.map(({ id }) => id), ...storedChecks]
  return ids.map(id => findingOf(id, id === 'daemon' ? outcome : skipped, false))
}

async function checkPort({ findDaemon }: DoctorContext): Promise<Outcome> {
  const found = await findDaemon()
  if (!found) return { severity: 'ok', evidence: 'free for the daemon' }
  return { severity: 'ok', evidence: `${found.origin.port}, served by the daemon (pid ${found.health.pid})` }
}

function summarise(findings: Finding[]): Diagnosis {
  const counts: Record<Severity, number> = { ok: 0, info: 0, warning: 0, error: 0 }
  for (const { severity } of findings) counts[severity]++
  return { healthy: counts.warning === 0 && counts.error === 0, counts, findings }
}

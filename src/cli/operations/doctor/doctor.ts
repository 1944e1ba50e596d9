import { ClientError } from '../../../client/http/client-error.js'
import type { Reply } from '../../../contract/api.js'
import { domainNames } from '../../../contract/operations/diagnostics-names.js'
import { countOf } from '../../../lib/text/count-of.js'
import { messageOf } from '../../../lib/text/message-of.js'
import type { Colors } from '../../terminal/output.js'
import { daemonChecks } from './daemon-checks.js'
import { daemonFileChecks } from './daemon-file-checks.js'
import type { DaemonStatus, DoctorContext, Finding, LocalCheck, Outcome, Severity } from './finding.js'
import { machineChecks } from './machine-checks.js'

type Report = Reply<'GET /api/diagnostics'>

/** Placeholders for the checks of a domain when the daemon could not be asked. */
const storedChecks = domainNames.filter(name => name !== 'composite')

/** Free disk space is checked even without a daemon. */
const lookedAtHere = new Set(['free-space'])

const unrepaired = { fixable: false, fixed: false } as const

export interface Diagnosis {
  /** True if no finding is a warning or an error. */
  healthy: boolean
  counts: Record<Severity, number>
  findings: Finding[]
}

/** Called with the id of each check before it runs. */
export type OnCheck = (id: string) => void

const portCheck: LocalCheck = { id: 'port', run: checkPort }

/**
 * Runs every check. Those of this machine run first, since their findings explain why a daemon does not
 * answer. With SERVICE_DAEMON_URL the local workspace is not in use, so its files are not checked.
 * @param options `fix` repairs what is safe and checks again.
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

/** Runs one check, its repair if requested, and the check again. An exception becomes a finding. */
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
  const evidence = messageOf(error)
  const fix = (error instanceof ClientError ? error.nextSteps[0] : undefined) ?? 'memory daemon logs'
  return { severity: 'error', evidence, fix }
}

/**
 * Returns the finding about the daemon and lists all other checks as skipped, so the JSON contains every id.
 */
function withoutDaemon(outcome: Outcome): Finding[] {
  const skipped: Outcome = { severity: 'info', evidence: 'not checked: no daemon is running' }
  const ids = [...daemonChecks.map(({ id }) => id), ...storedChecks]
  return ids.map(id => findingOf(id, id === 'daemon' ? outcome : skipped, false))
}

async function checkPort({ findDaemon }: DoctorContext): Promise<Outcome> {
  const found = await findDaemon()
  if (!found) return { severity: 'ok', evidence: 'free' }
  return { severity: 'ok', evidence: `${found.origin.port}, served by the daemon (pid ${found.health.pid})` }
}

function summarise(findings: Finding[]): Diagnosis {
  const counts: Record<Severity, number> = { ok: 0, info: 0, warning: 0, error: 0 }
  for (const { severity } of findings) counts[severity]++
  return { healthy: counts.warning === 0 && counts.error === 0, counts, findings }
}

/**
 * Returns the daemon's findings about stored data, as all clients see them (operations.md 3.1). @throws
 * ClientError
 */
async function lookAtStored({ call, remote }: Pick<DoctorContext, 'call' | 'remote'>): Promise<Finding[]> {
  const report = await call('GET /api/diagnostics', { query: { refresh: true } }).catch(unlessOlder)
  if (!report)
    return [
      {
        ...unrepaired,
        id: 'diagnostics',
        severity: 'info',
        evidence: 'not checked: the running daemon is an older release',
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

function unlessOlder(error: unknown): Report | undefined {
  if (error instanceof ClientError && error.status === 404) return undefined
  throw error
}

/** Formats findings as aligned lines, each with its remedy if needed, and the counts. */
export function diagnosisText({ findings, counts, healthy }: Diagnosis, colors: Colors): string {
  const width = Math.max(...findings.map(({ id }) => id.length))
  const lines = findings.flatMap(finding => findingLines(finding, width, colors))
  const problems = [
    counts.error > 0 ? colors.red(countOf(counts.error, 'error')) : '',
    counts.warning > 0 ? colors.yellow(countOf(counts.warning, 'warning')) : '',
  ].filter(Boolean)
  const verdict = healthy ? colors.green('Everything works') : problems.join(', ')
  const fixable = findings.some(finding => finding.fixable && finding.severity !== 'info')
  return [...lines, '', `${verdict}. ${fixable ? 'Safe repairs: memory doctor --fix' : ''}`.trimEnd()].join(
    '\n',
  )
}

function findingLines(finding: Finding, width: number, colors: Colors): string[] {
  const { id, severity, evidence, fix, fixed } = finding
  const line = `${mark(severity, colors)}  ${id.padEnd(width)}  ${evidence}${fixed ? colors.green(' (fixed)') : ''}`
  const needsAction = severity === 'warning' || severity === 'error'
  return needsAction && fix ? [line, `${' '.repeat(9 + width)}${colors.dim('fix:')} ${fix}`] : [line]
}

function mark(severity: Severity, colors: Colors): string {
  const word = severity === 'warning' ? 'warn ' : severity.padEnd(5)
  const paint = { ok: colors.green, info: colors.dim, warning: colors.yellow, error: colors.red }[severity]
  return paint(word)
}

import { ClientError } from '../../../client/http/client-error.js'
import type { Reply } from '../../../contract/api.js'
import { domainNames } from '../../../contract/ground/wire-names.js'
import type { HealthFigure } from '../../../contract/operations/diagnostics-domains.js'
import { countOf } from '../../../lib/text/count-of.js'
import { labelOf } from '../../../lib/text/labels.js'
import { messageOf } from '../../../lib/text/message-of.js'
import { type Colors, terminalWidth, wrapStyled } from '../../terminal/output.js'
import { healthText, waitingLines } from '../status.js'
import { daemonChecks, daemonFileChecks } from './daemon-checks.js'
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
  /** The figure of health that every surface shows; absent if the daemon could not be asked. */
  health?: Pick<HealthFigure, 'score' | 'status' | 'parts'>
  /** Items that wait for a decision of a person. */
  waiting?: HealthFigure['waiting']
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
  const groups = [
    [groupNames.machine, own],
    [groupNames.agents, context.harnesses],
  ] as const
  for (const [group, checks] of groups)
    for (const { id, run } of checks) {
      options.onCheck?.(id)
      findings.push(await examine({ id, group }, () => run(context), options.fix))
    }
  options.onCheck?.('daemon')
  const status = await context.call('GET /api/status').catch((error: unknown) => failed(error))
  if ('severity' in status) return summarise([...findings, ...withoutDaemon(status)], undefined)
  const asked = await examineDaemon(context, status, options)
  return summarise([...findings, ...asked.findings], asked.health)
}

const groupNames = {
  machine: 'This machine',
  agents: labelOf('domain', 'openclaw'),
  daemon: 'Daemon',
} as const

async function examineDaemon(
  context: DoctorContext,
  status: DaemonStatus,
  { fix, onCheck }: { fix: boolean; onCheck?: OnCheck },
): Promise<StoredFindings> {
  const findings: Finding[] = []
  for (const { id, run } of daemonChecks) {
    onCheck?.(id)
    findings.push(await examine({ id, group: groupNames.daemon }, () => run(context, status), fix))
  }
  onCheck?.('every row')
  const stored = await lookAtStored(context).catch((error: unknown) => ({
    findings: [findingOf({ id: 'diagnostics', group: groupNames.daemon }, failed(error), false)],
    health: undefined,
  }))
  return { findings: [...findings, ...stored.findings], health: stored.health }
}

/** The daemon's findings about stored data, with its figure of health. */
interface StoredFindings {
  findings: Finding[]
  health: HealthFigure | undefined
}

/** A check by its id and the heading under which it is shown. */
type CheckName = Pick<Finding, 'id' | 'group'>

/** Runs one check, its repair if requested, and the check again. An exception becomes a finding. */
async function examine(name: CheckName, run: () => Promise<Outcome>, fix: boolean): Promise<Finding> {
  const outcome = await run().catch(failed)
  if (!fix || !outcome.repair) return findingOf(name, outcome, false)
  const error = await outcome.repair().then(
    () => undefined,
    (cause: Error) => cause,
  )
  if (error) {
    return findingOf(
      name,
      { ...outcome, evidence: `${outcome.evidence}; not fixed: ${error.message}` },
      false,
    )
  }
  const after = await run().catch(failed)
  return findingOf(name, after, after.severity === 'ok')
}

function findingOf(name: CheckName, { severity, evidence, fix, repair }: Outcome, fixed: boolean): Finding {
  return { ...name, severity, evidence, fix, fixable: repair !== undefined, fixed }
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
  const names = [
    ...daemonChecks.map(({ id }) => ({ id, group: groupNames.daemon })),
    { id: 'round-trip', group: labelOf('domain', 'storage') },
    ...storedChecks.map(id => ({ id, group: labelOf('domain', id) })),
  ]
  return names.map(name => findingOf(name, name.id === 'daemon' ? outcome : skipped, false))
}

async function checkPort({ findDaemon }: DoctorContext): Promise<Outcome> {
  const found = await findDaemon()
  if (!found) return { severity: 'ok', evidence: 'free' }
  return { severity: 'ok', evidence: `${found.origin.port}, served by the daemon (pid ${found.health.pid})` }
}

function summarise(findings: Finding[], health: HealthFigure | undefined): Diagnosis {
  const counts: Record<Severity, number> = { ok: 0, info: 0, warning: 0, error: 0 }
  for (const { severity } of findings) counts[severity]++
  const healthy = counts.warning === 0 && counts.error === 0
  if (!health) return { healthy, counts, findings }
  const { score, status, parts, waiting } = health
  return { healthy, health: { score, status, parts }, waiting, counts, findings }
}

/**
 * Returns the daemon's findings about stored data, as all clients see them (operations.md 3.1). @throws
 * ClientError
 */
async function lookAtStored({
  call,
  remote,
}: Pick<DoctorContext, 'call' | 'remote'>): Promise<StoredFindings> {
  const report = await call('GET /api/diagnostics', { query: { refresh: true } }).catch(unlessOlder)
  if (!report) return { findings: [olderDaemon], health: undefined }
  const findings = storedChecks.flatMap(domain =>
    report[domain].findings
      .filter(({ id }) => remote !== undefined || !lookedAtHere.has(id))
      .map(({ id, severity, evidence, fix }) => ({
        ...unrepaired,
        id,
        group: labelOf('domain', domain),
        severity,
        evidence,
        ...(fix && { fix }),
      })),
  )
  return { findings, health: report.health }
}

const olderDaemon: Finding = {
  ...unrepaired,
  id: 'diagnostics',
  group: groupNames.daemon,
  severity: 'info',
  evidence: 'not checked: the running daemon is an older release',
  fix: 'memory daemon restart',
}

function unlessOlder(error: unknown): Report | undefined {
  if (error instanceof ClientError && error.status === 404) return undefined
  throw error
}

/**
 * Formats the figure of health, the findings under their headings, what waits for a person, and the verdict.
 * @param options `all` shows findings that need no action too
 */
export function diagnosisText(
  { findings, counts, healthy, health, waiting }: Diagnosis,
  colors: Colors,
  options: { all: boolean },
): string {
  const shown = findings.filter(one => options.all || needsAction(one))
  const headings = [...new Set(shown.map(({ group }) => group))]
  const problems = [
    counts.error > 0 ? colors.red(countOf(counts.error, 'error')) : '',
    counts.warning > 0 ? colors.yellow(countOf(counts.warning, 'warning')) : '',
  ].filter(Boolean)
  const verdict = healthy ? colors.green('Everything works') : problems.join(', ')
  const hidden = findings.length - shown.length
  const rest = [
    findings.some(({ fixable, severity }) => fixable && severity !== 'info')
      ? 'Safe repairs: memory health --fix.'
      : '',
    hidden > 0 && !healthy ? `${countOf(hidden, 'other check')} found nothing: memory health -v.` : '',
  ].filter(Boolean)
  return [
    ...(health ? [`${colors.bold('Health')}  ${healthText(health, colors)}`, ''] : []),
    ...headings.flatMap(group => [
      colors.bold(group),
      ...shown.filter(one => one.group === group).flatMap(one => findingLines(one, colors, options)),
      '',
    ]),
    ...waitingLines(waiting, colors).flatMap((line, at, all) =>
      at === all.length - 1 ? [line, ''] : [line],
    ),
    [`${verdict}.`, ...rest].join(' '),
  ].join('\n')
}

/** Warnings, errors and information with a command need action; a repaired fault is shown once. */
function needsAction({ severity, fix, fixed }: Finding): boolean {
  return fixed || severity === 'warning' || severity === 'error' || (severity === 'info' && fix !== undefined)
}

function findingLines(
  { id, group, severity, evidence, fix, fixed }: Finding,
  colors: Colors,
  { all }: { all: boolean },
): string[] {
  // Under this heading the id is the agent.
  const name = all || group === groupNames.agents ? `${id}: ` : ''
  const line = `  ${mark(severity, colors)}  ${name}${evidence}${fixed ? colors.green(' (fixed)') : ''}`
  const lines = severity !== 'ok' && fix ? [line, `         ${colors.dim('fix:')} ${fix}`] : [line]
  const width = terminalWidth()
  return width === undefined ? lines : lines.flatMap(one => wrapStyled(one, width, 9).split('\n'))
}

function mark(severity: Severity, colors: Colors): string {
  const word = severity === 'warning' ? 'warn ' : severity.padEnd(5)
  const paint = { ok: colors.green, info: colors.dim, warning: colors.yellow, error: colors.red }[severity]
  return paint(word)
}

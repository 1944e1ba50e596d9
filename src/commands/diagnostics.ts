import { Args } from '@oclif/core'
import { percent, waitingLines } from '../cli/operations/status.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { exitCodes } from '../cli/shell/exit-codes.js'
import { type Colors, colorsFor, formatFields, print } from '../cli/terminal/output.js'
import { padText, plainLine } from '../cli/terminal/text.js'
import type { Reply } from '../contract/api.js'
import { domainNames } from '../contract/ground/wire-names.js'
import type {
  DiagnosticsFinding,
  HealthStatus,
  Severity,
} from '../contract/operations/diagnostics-domains.js'
import { labelOf } from '../lib/text/labels.js'

type Report = Reply<'GET /api/diagnostics'>

type DomainReply = Reply<'GET /api/diagnostics/:domain'>

type Part = Report['composite']['parts'][number]

const domainWidth = Math.max(...domainNames.map(({ length }) => length))

const paints = { healthy: 'green', degraded: 'yellow', unhealthy: 'red' } as const

const marks: Readonly<Record<Severity, readonly [word: string, paint: 'green' | 'dim' | 'yellow' | 'red']>> =
  {
    ok: ['ok', 'green'],
    info: ['info', 'dim'],
    warning: ['warn', 'yellow'],
    error: ['error', 'red'],
  }

/** The survey reads every row of a large store. */
const surveyTimeoutMs = 180_000

export default class Diagnostics extends DaemonCommand {
  static override summary = 'Score the health of each part of memory, with the reason for each score.'
  static override description =
    'Checks all rows first, which takes seconds in a large store; nothing is changed. Without an argument, ' +
    'shows each domain with its problems; with a domain, shows every check. The exit code is 6 if something ' +
    'is not healthy. memory health also checks this machine; memory repair fixes problems.'
  static override examples = [
    '<%= config.bin %> diagnostics',
    '<%= config.bin %> diagnostics index',
    '<%= config.bin %> diagnostics storage --json',
  ]
  static override args = {
    domain: Args.string({ description: 'Show only this domain.', options: [...domainNames] }),
  }

  async run(): Promise<Reply<'GET /api/diagnostics'> | Reply<'GET /api/diagnostics/:domain'>> {
    const { domain } = (await this.parse(Diagnostics)).args
    const query = { refresh: true }
    const options = { timeoutMs: surveyTimeoutMs, waitingFor: 'checking every row' }
    if (domain === undefined) {
      const report = await this.call('GET /api/diagnostics', { query }, options)
      this.report(report.composite.status, () => reportText(report, colorsFor()))
      return report
    }
    const params = { domain: domain as (typeof domainNames)[number] }
    const one = await this.call('GET /api/diagnostics/:domain', { params, query }, options)
    this.report(one.status, () => domainText(one, colorsFor()))
    return one
  }

  private report(status: Reply<'GET /api/diagnostics/:domain'>['status'], text: () => string): void {
    if (status !== 'healthy') process.exitCode = exitCodes.findings.code
    if (!this.jsonEnabled()) print(text())
  }
}

/** Formats every domain as a line with its findings below, and the overall result. */
function reportText(report: Report, colors: Colors): string {
  const { composite, survey, health } = report
  const lines = domainNames.flatMap(domain => {
    if (domain === 'composite') return []
    const { score, status, findings } = report[domain]
    const ill = findings.filter(({ severity }) => severity !== 'ok')
    return [scoreLine(domain, score, status, colors), ...ill.flatMap(one => findingLines(one, colors))]
  })
  const left = survey && !survey.complete ? [`not checked in time: ${survey.leftOut.join(', ')}`] : []
  return [
    ...lines,
    '',
    scoreLine('all', composite.score, composite.status, colors),
    ...waitingLines(health?.waiting, colors),
    ...left,
  ].join('\n')
}

/** Formats one domain with all findings and figures; `composite` with its parts. */
function domainText(reply: DomainReply, colors: Colors): string {
  const { domain, score, status, timestamp: _, findings = [], parts = [], ...figures } = reply
  const shown = Object.entries(figures).flatMap(([name, value]): [string, string][] =>
    typeof value === 'object' && value !== null ? [] : [[name, plainLine(String(value ?? 'unknown'))]],
  )
  return [
    scoreLine(domain, score, status, colors),
    ...(findings as DiagnosticsFinding[]).flatMap(one => findingLines(one, colors)),
    ...(parts as Part[]).map(part => scoreLine(part.domain, part.score, part.status, colors)),
    ...(shown.length > 0 ? ['', formatFields(shown, colors)] : []),
  ].join('\n')
}

/** The name of a domain is the argument of this command; its label follows if it says something else. */
function scoreLine(domain: string, score: number, status: HealthStatus, colors: Colors): string {
  const label = labelOf('domain', domain).toLowerCase()
  const note = label.startsWith(domain) ? '' : colors.dim(`  (${label})`)
  return `${percent(score).padStart(5)}  ${padText(domain, domainWidth)}  ${colors[paints[status]](status)}${note}`
}

/**
 * Formats severity, id and evidence with the effect on the score; below it the remedy and some affected rows.
 */
function findingLines(finding: DiagnosticsFinding, colors: Colors): string[] {
  const { id, severity, evidence, penalty, fix, samples = [] } = finding
  const [word, paint] = marks[severity]
  const off = penalty > 0 ? colors.dim(` (-${percent(penalty)})`) : ''
  const below = (name: string, text: string) => `             ${colors.dim(`${name}:`)} ${plainLine(text)}`
  return [
    `      ${colors[paint](padText(word, 5))}  ${id}: ${plainLine(evidence)}${off}`,
    ...(fix && severity !== 'ok' ? [below('fix', fix)] : []),
    ...(samples.length > 0 ? [below('for example', samples.slice(0, 3).join(', '))] : []),
  ]
}

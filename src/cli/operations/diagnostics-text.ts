import type { Reply } from '../../contract/api.js'
import type {
  DiagnosticsFinding,
  HealthStatus,
  Severity,
} from '../../contract/operations/diagnostics-domains.js'
import { domainNames } from '../../contract/operations/diagnostics-names.js'
import { type Colors, formatFields } from '../terminal/output.js'
import { padText, plainLine } from '../terminal/text.js'

type Report = Reply<'GET /api/diagnostics'>
type DomainReply = Reply<'GET /api/diagnostics/:domain'>
type Part = Report['composite']['parts'][number]

/** Every domain as a line with what is wrong in it below, and what they come to. */
export function reportText(report: Report, colors: Colors): string {
  const { composite, survey } = report
  const lines = domainNames.flatMap(domain => {
    if (domain === 'composite') return []
    const { score, status, findings } = report[domain]
    const ill = findings.filter(({ severity }) => severity !== 'ok')
    return [scoreLine(domain, score, status, colors), ...ill.flatMap(one => findingLines(one, colors))]
  })
  const left = survey && !survey.complete ? [`not looked at in time: ${survey.leftOut.join(', ')}`] : []
  return [...lines, '', scoreLine('all', composite.score, composite.status, colors), ...left].join('\n')
}

/** One domain with all that was looked at and its figures; of `composite` its parts. */
export function domainText(reply: DomainReply, colors: Colors): string {
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

const domainWidth = Math.max(...domainNames.map(({ length }) => length))
const paints = { healthy: 'green', degraded: 'yellow', unhealthy: 'red' } as const

function scoreLine(domain: string, score: number, status: HealthStatus, colors: Colors): string {
  return `${score.toFixed(2)}  ${padText(domain, domainWidth)}  ${colors[paints[status]](status)}`
}

const marks: Readonly<Record<Severity, readonly [word: string, paint: 'green' | 'dim' | 'yellow' | 'red']>> =
  {
    ok: ['ok', 'green'],
    info: ['info', 'dim'],
    warning: ['warn', 'yellow'],
    error: ['error', 'red'],
  }

/** Severity, id and what was seen, with what it takes off the score; below it what to do, and some of the rows. */
function findingLines(finding: DiagnosticsFinding, colors: Colors): string[] {
  const { id, severity, evidence, penalty, fix, samples = [] } = finding
  const [word, paint] = marks[severity]
  const off = penalty > 0 ? colors.dim(` (-${penalty.toFixed(2)})`) : ''
  const below = (name: string, text: string) => `             ${colors.dim(`${name}:`)} ${plainLine(text)}`
  return [
    `      ${colors[paint](padText(word, 5))}  ${id}: ${plainLine(evidence)}${off}`,
    ...(fix && severity !== 'ok' ? [below('fix', fix)] : []),
    ...(samples.length > 0 ? [below('for example', samples.slice(0, 3).join(', '))] : []),
  ]
}

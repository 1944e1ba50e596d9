import { countOf } from '../../../lib/text/count-of.js'
import type { Colors } from '../../terminal/output.js'
import type { Diagnosis } from './diagnose.js'
import type { Finding, Severity } from './finding.js'

/** Findings as aligned lines, what to do under each that needs it, and the counts. */
export function diagnosisText({ findings, counts, healthy }: Diagnosis, colors: Colors): string {
  const width = Math.max(...findings.map(({ id }) => id.length))
  const lines = findings.flatMap(finding => findingLines(finding, width, colors))
  const problems = [
    counts.error > 0 ? colors.red(countOf(counts.error, 'error')) : '',
    counts.warning > 0 ? colors.yellow(countOf(counts.warning, 'warning')) : '',
  ].filter(Boolean)
  const verdict = healthy ? colors.green('Everything works') : problems.join(', ')
  const fixable = findings.some(finding => finding.fixable && finding.severity !== 'info')
  return [
    ...lines,
    '',
    `${verdict}. ${fixable ? 'memory doctor --fix repairs what is safe.' : ''}`.trimEnd(),
  ].join('\n')
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

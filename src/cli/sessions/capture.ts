import type { Reply } from '../../contract/api.js'
import type { CaptureSettings } from '../../contract/sessions/capture-rules.js'
import { countOf } from '../../lib/text/count-of.js'
import type { Colors } from '../terminal/output.js'
import { plainLine } from '../terminal/text.js'

export type CaptureState = Reply<'GET /api/sessions/capture'>
type Rule = CaptureSettings['rules'][number]

/** Formats whether sessions of the project are captured, the rules, and how much they left out. */
export function captureLines(
  { project, isCaptured, by, mode, toolUse, rules, leftOut }: CaptureState,
  colors: Colors,
): string {
  const verdict = isCaptured ? colors.green('captured') : colors.yellow('not captured')
  const reason = by === 'mode' ? `capture.mode is ${mode}` : by === '.memory.yaml' ? by : `rule ${by}`
  return [
    `Sessions of ${project ? plainLine(project.name) : 'no project'} are ${verdict} (${plainLine(reason)})`,
    ...rules.map((rule, index) => colors.dim(`  rule ${index + 1}: ${plainLine(JSON.stringify(rule))}`)),
    colors.dim(`  tool use: ${toolUse}`),
    ...(leftOut > 0 ? [`Rules left out ${countOf(leftOut, 'call')} of hooks in the last 90 days`] : []),
    colors.dim(isCaptured ? 'Next: memory capture off' : 'Next: memory capture on'),
  ].join('\n')
}

/**
 * Returns the rules after one project was excluded or included: rules about this project alone go, and one is
 * added unless the others already decide so.
 */
export function rulesWith(
  state: CaptureState,
  { key, hash }: { key: string; hash: string },
  on: boolean,
): Rule[] {
  const others = state.rules.filter(rule => !isAbout(rule, [key, hash]))
  const isDefault = others.length === 0 && (state.mode === 'on') === on
  if (isDefault) return others
  return [...others, on ? { include: { project: hash } } : { exclude: { project: hash } }]
}

function isAbout(rule: Rule, names: readonly string[]): boolean {
  const { project, ...others } = 'exclude' in rule ? rule.exclude : rule.include
  return (
    project !== undefined &&
    names.includes(project) &&
    Object.values(others).every(value => value === undefined)
  )
}

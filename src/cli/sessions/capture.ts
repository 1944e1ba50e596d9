import type { Reply } from '../../contract/api.js'
import type { CaptureSettings } from '../../contract/sessions/capture-rules.js'
import { countOf } from '../../lib/text/count-of.js'
import { workspacePaths } from '../../lib/workspace/paths.js'
import { meaningfulFolder, workingFolder } from '../../lib/workspace/working-folder.js'
import { projectFlag } from '../memory/project-flags.js'
import { CliError } from '../shell/cli-error.js'
import { DaemonCommand } from '../shell/daemon-command.js'
import { type Colors, colorsFor, print } from '../terminal/output.js'
import { plainLine } from '../terminal/text.js'

export type CaptureState = Reply<'GET /api/sessions/capture'>
type Rule = CaptureSettings['rules'][number]

/** Commands about the capture of one project's sessions (sessions.md#capture-rules). */
export abstract class CaptureCommand extends DaemonCommand {
  static override flags = {
    project: projectFlag({
      summary: 'The project: name, folder, remote or key (default: that of the current folder).',
      char: 'p',
    }),
  }

  protected state(project: string | undefined): Promise<CaptureState> {
    const cwd = project === undefined ? meaningfulFolder(workingFolder()) : undefined
    return this.call('GET /api/sessions/capture', { query: { project, cwd } })
  }

  /** Writes a rule about the project into agent.yaml, which a running daemon applies at once. */
  protected async turn(on: boolean, named: string | undefined): Promise<CaptureState> {
    const before = await this.state(named)
    if (!before.project)
      throw new CliError('the current folder is in no project', {
        code: 'invalid_input',
        exit: 'usage',
        nextSteps: ['memory capture off --project NAME', 'memory projects'],
      })
    if (on && before.by === '.memory.yaml')
      throw new CliError('.memory.yaml of the project says capture: off, which rules cannot change', {
        code: 'conflict',
        exit: 'refused',
        nextSteps: ['remove the line from .memory.yaml'],
      })
    const rules = rulesWith(before, before.project, on)
    const { settings: file } = workspacePaths(this.globals.workspace)
    const { writeSettings } = await import('../operations/config.js')
    writeSettings(file, { 'capture.rules': rules.length > 0 ? rules : null })
    const state = {
      ...before,
      rules,
      isCaptured: on,
      by: rules.at(-1) ? JSON.stringify(rules.at(-1)) : 'mode',
    }
    if (!this.jsonEnabled()) print(captureLines(state, colorsFor()))
    return state
  }
}

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
function rulesWith(state: CaptureState, { key, hash }: { key: string; hash: string }, on: boolean): Rule[] {
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

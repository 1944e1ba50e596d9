import { workspacePaths } from '../../lib/workspace/paths.js'
import { meaningfulFolder, workingFolder } from '../../lib/workspace/working-folder.js'
import { projectFlag } from '../memory/project-flags.js'
import { CliError } from '../shell/cli-error.js'
import { DaemonCommand } from '../shell/daemon-command.js'
import { colorsFor, print } from '../terminal/output.js'
import { type CaptureState, captureLines, rulesWith } from './capture.js'

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

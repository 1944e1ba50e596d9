import { Flags } from '@oclif/core'
import { findTask } from '../../cli/agents/tasks/find-task.js'
import { missingNote, startedBy } from '../../cli/agents/tasks/harness-program.js'
import { openSchedules } from '../../cli/agents/tasks/schedule-text.js'
import { fieldsOf, taskArg, taskFlags } from '../../cli/agents/tasks/task-flags.js'
import { readContent } from '../../cli/memory/input.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import { plainLine } from '../../cli/terminal/text.js'
import type { Reply } from '../../contract/api.js'

export default class TasksEdit extends DaemonCommand {
  static override summary = 'Change a task; a current run is not affected.'
  static override examples = [
    '<%= config.bin %> tasks edit "morning report" --cron "30 8 * * 1-5"',
    '<%= config.bin %> tasks edit "morning report" --file prompt.md --no-skill',
  ]
  static override args = taskArg
  static override flags = {
    ...taskFlags,
    name: Flags.string({ summary: 'New name.', helpValue: 'TEXT' }),
    prompt: Flags.string({
      summary: 'New prompt; - reads stdin.',
      helpValue: 'TEXT',
      exclusive: ['file'],
    }),
    'no-folder': Flags.boolean({ summary: 'Run it in the workspace.', exclusive: ['folder'] }),
    'no-skill': Flags.boolean({ summary: 'Run it without a skill.', exclusive: ['skill'] }),
  }

  async run(): Promise<Reply<'PATCH /api/tasks/:id'>> {
    const { args, flags } = await this.parse(TasksEdit)
    const { workspace } = this.globals
    const words = flags.prompt === undefined ? [] : [flags.prompt]
    const hasPrompt = flags.prompt !== undefined || flags.file !== undefined
    const nextSteps = [`memory tasks edit ${args.task} --prompt "look at the failing tests"`]
    const wanted = { purpose: 'run', nextSteps }
    const body = {
      ...fieldsOf(flags, workspace),
      ...(flags.name !== undefined && { name: flags.name }),
      ...(hasPrompt && { prompt: await readContent({ words, file: flags.file, wanted }) }),
      ...(flags['no-folder'] && { workingDirectory: null }),
      ...(flags['no-skill'] && { skill: null }),
    }
    if (Object.keys(body).length === 0)
      throw new CliError(`nothing to change for ${args.task}: give at least one flag`, {
        code: 'nothing_to_change',
        exit: 'usage',
        nextSteps: [
          `memory tasks edit "${args.task}" --cron "0 9 * * 1-5"`,
          `memory tasks show "${args.task}"`,
        ],
      })
    const { id } = findTask((await this.call('GET /api/tasks')).tasks, args.task)
    const reply = await this.call('PATCH /api/tasks/:id', { params: { id }, body })
    if (this.jsonEnabled()) return reply
    const { task } = reply
    const schedules = await openSchedules(workspace, new Date())
    const next = task.enabled ? `next run ${schedules.nextOf(task.cronExpression)}` : 'disabled'
    print(`${colorsFor().green('✓')} ${plainLine(task.name)} changed; ${next}`)
    const missing = (flags.harness ?? flags.acp) && missingNote(startedBy(task).program, workspace)
    if (missing) printNote(missing)
    return reply
  }
}

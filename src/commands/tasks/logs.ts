import { Flags } from '@oclif/core'
import { findTask } from '../../cli/agents/tasks/find-task.js'
import { findRun, showRun, watchRun } from '../../cli/agents/tasks/show-run.js'
import { taskArg } from '../../cli/agents/tasks/task-flags.js'
import { isOpen, nextText, type TaskRun } from '../../cli/agents/tasks/task-text.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { printNote } from '../../cli/terminal/output.js'

export default class TasksLogs extends DaemonCommand {
  static override summary = 'Show what a run of a task wrote: the newest, or one that is named.'
  static override description =
    'On a terminal what the agent said and which tools it used; in a pipe, and with --raw, what it wrote. With --follow it ' +
    'goes on until the run has ended, and waits for the next run where none is under way; the exit code is 1 when the run ' +
    'does not complete. Ctrl-C ends the watching, not the run.'
  static override examples = [
    '<%= config.bin %> tasks logs "morning report" -f',
    '<%= config.bin %> tasks logs "morning report" --raw | jq -r .type',
  ]
  static override args = taskArg
  static override flags = {
    follow: Flags.boolean({ char: 'f', summary: 'Go on until the run has ended.' }),
    run: Flags.string({ summary: 'This run; memory tasks show lists them.', helpValue: 'ID' }),
    raw: Flags.boolean({ summary: 'As the agent wrote it, also on a terminal.' }),
  }

  async run(): Promise<TaskRun | undefined> {
    const { args, flags } = await this.parse(TasksLogs)
    const task = findTask((await this.call('GET /api/tasks')).tasks, args.task)
    const newest = await findRun(task.id, flags.run, this.globals)
    if (flags.run !== undefined && !newest) throw noRun(`there is no run ${flags.run} of this task`, task.id)
    const view = { json: this.jsonEnabled(), raw: flags.raw }
    const isUnderWay = newest !== undefined && isOpen(newest.status)
    if (flags.follow && (isUnderWay || flags.run === undefined)) {
      if (!isUnderWay)
        printNote(`It does not run; next: ${nextText(task, Date.now())}. Ctrl-C ends the waiting.`)
      const reach = { ...this.globals, autostart: false }
      return watchRun(task.id, isUnderWay ? newest.id : undefined, { view, reach })
    }
    if (!newest) throw noRun(`"${task.name}" has not run yet`, task.id)
    showRun(newest, view)
    if (isUnderWay) printNote(`It goes on; to follow it: memory tasks logs ${task.id} --follow`)
    return newest
  }
}

function noRun(message: string, id: string): CliError {
  const nextSteps = [`memory tasks run ${id} --follow`, `memory tasks show ${id}`]
  return new CliError(message, { code: 'not_found', exit: 'notFound', nextSteps })
}

import { Flags } from '@oclif/core'
import { findTask } from '../../cli/agents/tasks/find-task.js'
import { findRun, showRun, watchRun } from '../../cli/agents/tasks/show-run.js'
import { taskArg } from '../../cli/agents/tasks/task-flags.js'
import { isOpen, nextText, type TaskRun } from '../../cli/agents/tasks/task-text.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { printNote } from '../../cli/terminal/output.js'

export default class TasksLogs extends DaemonCommand {
  static override summary = 'Show the output of a run: the newest one, or the one given with --run.'
  static override description =
    'On a terminal, shows what the agent said and which tools it used; when piped, or with --raw, its ' +
    'unprocessed output. --follow continues until the run ends; if no run is active, it waits for the next ' +
    'one. The exit code is then 1 if the run does not complete. Ctrl-C stops following, not the run.'
  static override examples = [
    '<%= config.bin %> tasks logs "morning report" -f',
    '<%= config.bin %> tasks logs "morning report" --raw | jq -r .type',
  ]
  static override args = taskArg
  static override flags = {
    follow: Flags.boolean({ char: 'f', summary: 'Follow the output until the run ends.' }),
    run: Flags.string({ summary: 'Show this run; to list runs: memory tasks show.', helpValue: 'ID' }),
    raw: Flags.boolean({ summary: 'Print the unprocessed output of the agent.' }),
  }

  async run(): Promise<TaskRun | undefined> {
    const { args, flags } = await this.parse(TasksLogs)
    const task = findTask((await this.call('GET /api/tasks')).tasks, args.task)
    const newest = await findRun(task.id, flags.run, this.globals)
    if (flags.run !== undefined && !newest) throw noRun(`this task has no run ${flags.run}`, task.id)
    const view = { json: this.jsonEnabled(), raw: flags.raw }
    const isUnderWay = newest !== undefined && isOpen(newest.status)
    if (flags.follow && (isUnderWay || flags.run === undefined)) {
      if (!isUnderWay)
        printNote(`Not running; next run: ${nextText(task, Date.now())}. Press Ctrl-C to stop waiting.`)
      const reach = { ...this.globals, autostart: false }
      return watchRun(task.id, isUnderWay ? newest.id : undefined, { view, reach })
    }
    if (!newest) throw noRun(`"${task.name}" has not run yet`, task.id)
    showRun(newest, view)
    if (isUnderWay) printNote(`Still running. To follow it: memory tasks logs ${task.id} --follow`)
    return newest
  }
}

function noRun(message: string, id: string): CliError {
  const nextSteps = [`memory tasks run ${id} --follow`, `memory tasks show ${id}`]
  return new CliError(message, { code: 'not_found', exit: 'notFound', nextSteps })
}

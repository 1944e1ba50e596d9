import { Flags } from '@oclif/core'
import { findTask } from '../../cli/agents/tasks/find-task.js'
import { taskArg } from '../../cli/agents/tasks/task-flags.js'
import { isOpen, nextText, type Task } from '../../cli/agents/tasks/task-text.js'
import { askAbout, type Preview } from '../../cli/consent/consent.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print } from '../../cli/terminal/output.js'
import { plainLine } from '../../cli/terminal/text.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'

export default class TasksRemove extends DaemonCommand {
  static override summary = 'Remove a task and its runs; a current run is cancelled.'
  static override description =
    'Shows what will be removed and asks for confirmation; without a terminal, --yes is required. To keep ' +
    'the task but stop it: memory tasks disable.'
  static override examples = ['<%= config.bin %> tasks remove "morning report"']
  static override args = taskArg
  static override flags = {
    yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y' }),
  }

  async run(): Promise<Reply<'DELETE /api/tasks/:id'>> {
    const { args, flags } = await this.parse(TasksRemove)
    const task = findTask((await this.call('GET /api/tasks')).tasks, args.task)
    const json = this.jsonEnabled()
    const nextSteps = [`memory tasks show ${task.id}   shows its runs`, 'add --yes to remove it']
    await askAbout({ yes: flags.yes, json, nextSteps }, () => this.preview(task))
    const reply = await this.call('DELETE /api/tasks/:id', { params: { id: task.id } })
    if (!json) print(`Removed ${plainLine(task.name)}`)
    return reply
  }

  private async preview(task: Task): Promise<Preview> {
    const query = { limit: 1 }
    const { total } = await this.call('GET /api/tasks/:id/runs', { params: { id: task.id }, query })
    const { name, cronExpression, lastRunStatus } = task
    const underWay = lastRunStatus !== null && isOpen(lastRunStatus)
    const lines = [
      `${plainLine(name)}  ${cronExpression}, next run ${nextText(task, Date.now())}`,
      `${countOf(total, 'run')} with their output`,
      ...(underWay ? ['The current run is cancelled.'] : []),
    ]
    return { lines, question: 'Remove the task?' }
  }
}

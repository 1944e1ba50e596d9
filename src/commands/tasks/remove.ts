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
  static override summary = 'Remove a task with its runs; one that is under way is ended.'
  static override description =
    'On a terminal it shows what would go and asks. Without one it needs --yes. memory tasks disable keeps the task.'
  static override examples = ['<%= config.bin %> tasks remove "morning report"']
  static override args = taskArg
  static override flags = {
    yes: Flags.boolean({ summary: 'Do not ask.', char: 'y' }),
  }

  async run(): Promise<Reply<'DELETE /api/tasks/:id'>> {
    const { args, flags } = await this.parse(TasksRemove)
    const task = findTask((await this.call('GET /api/tasks')).tasks, args.task)
    const json = this.jsonEnabled()
    const nextSteps = [`memory tasks show ${task.id} tells what would go`, 'add --yes to remove it']
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
      `${plainLine(name)}  ${cronExpression}, next ${nextText(task, Date.now())}`,
      `${countOf(total, 'run')} with what they wrote`,
      ...(underWay ? ['The run that is under way is ended.'] : []),
    ]
    return { lines, question: 'Remove it?' }
  }
}

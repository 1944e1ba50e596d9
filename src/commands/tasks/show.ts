import { findTask } from '../../cli/agents/tasks/find-task.js'
import { taskArg } from '../../cli/agents/tasks/task-flags.js'
import { taskFields } from '../../cli/agents/tasks/task-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, outputWidth, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class TasksShow extends DaemonCommand {
  static override summary = 'Show a task and its newest runs.'
  static override examples = ['<%= config.bin %> tasks show "morning report"']
  static override args = taskArg

  async run(): Promise<Reply<'GET /api/tasks/:id'>> {
    const { args } = await this.parse(TasksShow)
    const { id } = findTask((await this.call('GET /api/tasks')).tasks, args.task)
    const reply = await this.call('GET /api/tasks/:id', { params: { id } })
    if (!this.jsonEnabled())
      print(taskFields(reply, { colors: colorsFor(), now: Date.now(), columns: outputWidth() }))
    return reply
  }
}

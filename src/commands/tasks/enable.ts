import { switchTask } from '../../cli/agents/tasks/find-task.js'
import { taskArg } from '../../cli/agents/tasks/task-flags.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import type { Reply } from '../../contract/api.js'

export default class TasksEnable extends DaemonCommand {
  static override summary = 'Enable a task: it runs on its schedule from now on.'
  static override examples = ['<%= config.bin %> tasks enable "morning report"']
  static override args = taskArg

  async run(): Promise<Reply<'PATCH /api/tasks/:id'>> {
    const { args } = await this.parse(TasksEnable)
    return switchTask(args.task, { enabled: true, json: this.jsonEnabled(), reach: this.globals })
  }
}

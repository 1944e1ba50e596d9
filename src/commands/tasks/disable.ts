import { switchTask } from '../../cli/agents/tasks/find-task.js'
import { taskArg } from '../../cli/agents/tasks/task-flags.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import type { Reply } from '../../contract/api.js'

export default class TasksDisable extends DaemonCommand {
  static override summary = 'Disable a task; a current run continues.'
  static override examples = ['<%= config.bin %> tasks disable "morning report"']
  static override args = taskArg

  async run(): Promise<Reply<'PATCH /api/tasks/:id'>> {
    const { args } = await this.parse(TasksDisable)
    return switchTask(args.task, { enabled: false, json: this.jsonEnabled(), reach: this.globals })
  }
}

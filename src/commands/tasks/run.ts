import { Flags } from '@oclif/core'
import { findTask } from '../../cli/agents/tasks/find-task.js'
import { watchRun } from '../../cli/agents/tasks/show-run.js'
import { taskArg } from '../../cli/agents/tasks/task-flags.js'
import type { TaskRun } from '../../cli/agents/tasks/task-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class TasksRun extends DaemonCommand {
  static override summary = 'Run a task now, even if it is disabled.'
  static override description =
    'Prints the id of the run. With --follow, shows its output like memory tasks logs -f; the exit code is ' +
    'then 1 if the run does not complete.'
  static override examples = ['<%= config.bin %> tasks run "morning report" --follow']
  static override args = taskArg
  static override flags = {
    follow: Flags.boolean({ char: 'f', summary: 'Follow the output until the run ends.' }),
    raw: Flags.boolean({ summary: 'Print the unprocessed output of the agent.', dependsOn: ['follow'] }),
  }

  async run(): Promise<Reply<'POST /api/tasks/:id/run'> | TaskRun> {
    const { args, flags } = await this.parse(TasksRun)
    const { id } = findTask((await this.call('GET /api/tasks')).tasks, args.task)
    const started = await this.call('POST /api/tasks/:id/run', { params: { id } })
    const json = this.jsonEnabled()
    if (!flags.follow) {
      if (!json) print(started.runId)
      if (!json) printNote(`Next: memory tasks logs ${id} -f`)
      return started
    }
    const reach = { ...this.globals, autostart: false }
    return (await watchRun(id, started.runId, { view: { json, raw: flags.raw }, reach })) ?? started
  }
}

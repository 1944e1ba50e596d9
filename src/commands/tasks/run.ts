import { Flags } from '@oclif/core'
import { findTask } from '../../cli/agents/tasks/find-task.js'
import { watchRun } from '../../cli/agents/tasks/show-run.js'
import { taskArg } from '../../cli/agents/tasks/task-flags.js'
import type { TaskRun } from '../../cli/agents/tasks/task-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class TasksRun extends DaemonCommand {
  static override summary = 'Run a task now, also one that is switched off.'
  static override description =
    'Prints the id of the run. With --follow its output, as memory tasks logs -f shows it; the exit code is 1 when it does ' +
    'not complete.'
  static override examples = ['<%= config.bin %> tasks run "morning report" --follow']
  static override args = taskArg
  static override flags = {
    follow: Flags.boolean({ char: 'f', summary: 'Show what it writes until it has ended.' }),
    raw: Flags.boolean({ summary: 'As the agent writes it, also on a terminal.', dependsOn: ['follow'] }),
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

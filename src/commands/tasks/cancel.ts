import { findTask } from '../../cli/agents/tasks/find-task.js'
import { cancelRun } from '../../cli/agents/tasks/follow-run.js'
import { taskArg } from '../../cli/agents/tasks/task-flags.js'
import { endText } from '../../cli/agents/tasks/task-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import { plainLine } from '../../cli/terminal/text.js'
import type { Reply } from '../../contract/api.js'
import { cancelledByCaller } from '../../contract/ground/wire-names.js'

export default class TasksCancel extends DaemonCommand {
  static override summary = 'Cancel the running or queued run of a task.'
  static override description =
    'The agent is asked to stop, and killed five seconds later with everything it started; its output is ' +
    'kept. The task itself stays scheduled; to stop it: memory tasks disable.'
  static override examples = ['<%= config.bin %> tasks cancel "morning report"']
  static override args = taskArg

  async run(): Promise<Reply<'POST /api/tasks/:id/cancel'>> {
    const { args } = await this.parse(TasksCancel)
    const { id, name } = findTask((await this.call('GET /api/tasks')).tasks, args.task)
    const reply = await cancelRun(id, this.globals)
    const { run } = reply
    const colors = colorsFor()
    const what =
      run.error === cancelledByCaller ? 'was cancelled' : `had already ended: ${endText(run, colors)}`
    if (!this.jsonEnabled()) print(`${colors.green('✓')} The run of ${plainLine(name)} ${what}`)
    return reply
  }
}

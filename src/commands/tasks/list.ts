import { Flags } from '@oclif/core'
import { cancelRun } from '../../cli/agents/tasks/follow-run.js'
import { taskTable } from '../../cli/agents/tasks/task-text.js'
import { canAsk } from '../../cli/consent/consent.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { inOrder, listFlags, listPage, printItems, sortFlag } from '../../cli/shell/list-output.js'
import { colorsFor, printNote } from '../../cli/terminal/output.js'
import { printLong } from '../../cli/terminal/pager.js'
import { call } from '../../client/call.js'
import type { Reply } from '../../contract/api.js'

export default class TasksList extends DaemonCommand {
  static override summary = 'List scheduled tasks, oldest first.'
  static override description =
    'With --watch, shows a live view where you can run, cancel, enable and disable tasks. When piped, prints ' +
    'one task per line with tab-separated fields: id, on or off, schedule, agent, next time, status of the ' +
    'newest run, name.'
  static override examples = ['<%= config.bin %> tasks list', '<%= config.bin %> tasks list --watch']
  static override flags = {
    ...listFlags,
    sort: sortFlag('oldest', 'Order of the tasks.'),
    watch: Flags.boolean({ char: 'w', summary: 'Show a live view.' }),
  }

  async run(): Promise<Reply<'GET /api/tasks'>> {
    const { flags } = await this.parse(TasksList)
    const found = await this.call('GET /api/tasks')
    const tasks = inOrder(found.tasks, flags.sort, one => ({ made: one.createdAt, changed: one.updatedAt }))
    const reply = { ...found, tasks }
    if (flags.watch) await this.watch()
    const page = listPage(reply.tasks, { total: reply.count })
    if (this.jsonEnabled() || flags.watch) return { ...reply, ...page }
    if (printItems(page, flags)) return reply
    this.keepRows(
      'task',
      reply.tasks.map(({ id }) => id),
    )
    const view = { colors: colorsFor(), now: Date.now(), tabs: process.stdout.isTTY !== true }
    if (reply.count > 0) await printLong(taskTable(reply.tasks, view))
    else printNote('No tasks. Next: memory tasks add')
    return reply
  }

  /** Ink is loaded only here. If the daemon is stopped while this runs, it must not be started again. */
  private async watch(): Promise<void> {
    if (!canAsk(this.jsonEnabled()))
      throw new CliError('--watch needs a terminal', {
        code: 'usage',
        exit: 'usage',
        nextSteps: ['memory tasks list --json', 'memory tasks logs TASK -f'],
      })
    const reach = { ...this.globals, autostart: false }
    const { watchTasks } = await import('../../cli/tui/watch-tasks.js')
    await watchTasks({
      color: colorsFor().isColorSupported,
      look: async () => (await call('GET /api/tasks', {}, reach)).tasks,
      run: async ({ id }) => void (await call('POST /api/tasks/:id/run', { params: { id } }, reach)),
      cancel: async ({ id }) => void (await cancelRun(id, reach)),
      toggle: async ({ id, enabled }) =>
        void (await call('PATCH /api/tasks/:id', { params: { id }, body: { enabled: !enabled } }, reach)),
    })
  }
}

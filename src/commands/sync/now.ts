import { SyncCommand, type SyncStatus } from '../../cli/operations/sync/sync-command.js'
import { CliError } from '../../cli/shell/cli-error.js'

export default class SyncNow extends SyncCommand {
  static override summary = 'Exchange changes with the other machines now.'
  static override description =
    'Without it, changes are sent within seconds of a save, and the place is looked at every minute.'
  static override examples = ['<%= config.bin %> sync now']

  /** @throws CliError `sync_failed` when paused, removed by another machine, or the place can't be reached */
  async run(): Promise<SyncStatus> {
    await this.parse(SyncNow)
    const status = this.show(await this.exchange())
    if (status.state === 'paused')
      throw new CliError('sync is paused, so nothing was exchanged', {
        ...{ code: 'sync_failed', exit: 'failure' },
        nextSteps: ['memory sync resume'],
      })
    const problem = status.run?.problem
    if (problem)
      throw new CliError(problem, {
        code: 'sync_failed',
        exit: 'failure',
        nextSteps: ['memory sync status'],
      })
    return status
  }
}

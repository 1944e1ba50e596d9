import { writeFileSync } from 'node:fs'
import { Flags } from '@oclif/core'
import { askAbout, asksFirst } from '../../cli/consent/consent.js'
import { runMove } from '../../cli/operations/storage/run-move.js'
import { movedLines, planLines } from '../../cli/operations/storage/storage-text.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { requireOwnDaemon } from '../../cli/shell/own-daemon.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'
import { workspacePaths } from '../../lib/workspace/paths.js'

type Plan = Reply<'POST /api/storage/move'>
type Confirmed = Reply<'POST /api/storage/confirm'>
type Status = Reply<'GET /api/storage'>

const timeoutMs = 600_000
const nextSteps = ['add --dry-run to see what would be moved', 'add --yes to move']

export default class StorageMove extends DaemonCommand {
  static override summary = 'Move all memories to a PostgreSQL server, or back into the file.'
  static override description =
    'Restarts the daemon, which copies table by table, compares counts and hashes, and only then changes the ' +
    'setting. Meanwhile requests get 503 and hooks wait. After a kill the next start goes on; --cancel gives ' +
    'up and leaves the old store in use. After a move the old store is kept until --confirm removes it. A ' +
    'password in the URL goes to the store of secrets.'
  static override examples = [
    '<%= config.bin %> storage move --to MEMORY_DATABASE --schema team_a --dry-run',
    '<%= config.bin %> storage move --to sqlite',
    '<%= config.bin %> storage move --confirm',
  ]
  static override flags = {
    to: Flags.string({
      summary: 'URL of the server, the secret that is one, or sqlite for the file.',
      helpValue: 'postgres://...',
      exactlyOne: ['to', 'confirm', 'cancel'],
    }),
    schema: Flags.string({ summary: 'Schema of this workspace.', helpValue: 'NAME', dependsOn: ['to'] }),
    'dry-run': Flags.boolean({ summary: 'Check the target and count rows without moving.' }),
    confirm: Flags.boolean({ summary: 'Remove the old store of the last move permanently.' }),
    cancel: Flags.boolean({ summary: 'Give up a move that is under way.' }),
    yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y', exclusive: ['dry-run'] }),
  }

  async run(): Promise<Plan | Status | Confirmed | { cancelled: true }> {
    const { flags } = await this.parse(StorageMove)
    if (flags.cancel) return this.cancel()
    if (flags.confirm) return this.confirm({ dryRun: flags['dry-run'], yes: flags.yes })
    const target = { to: flags.to as string, ...(flags.schema !== undefined && { schema: flags.schema }) }
    return this.move(target, { dryRun: flags['dry-run'], yes: flags.yes })
  }

  private async move(
    target: { to: string; schema?: string },
    { dryRun, yes }: { dryRun: boolean; yes: boolean },
  ): Promise<Plan | Status> {
    const json = this.jsonEnabled()
    const ask = (trial: boolean): Promise<Plan> =>
      this.call('POST /api/storage/move', { body: { ...target, dryRun: trial } }, { timeoutMs })
    if (dryRun) {
      const plan = await ask(true)
      if (!json) print(planLines(plan).join('\n'))
      return plan
    }
    requireOwnDaemon()
    await askAbout({ yes, json, nextSteps }, async () => ({
      lines: planLines(await ask(true)),
      question: 'Move all memories?',
      typed: 'move',
    }))
    await ask(false)
    await runMove(this.globals.workspace)
    const status = await this.call('GET /api/storage')
    const { move } = status
    if (move?.phase !== 'moved')
      throw new CliError(`the memories stay where they were: ${move?.problem ?? 'the move did not begin'}`, {
        code: 'move_failed',
        exit: 'failure',
        nextSteps: ['memory storage status', 'memory daemon logs'],
      })
    if (!json) print(movedLines(move).join('\n'))
    return status
  }

  private async confirm({ dryRun, yes }: { dryRun: boolean; yes: boolean }): Promise<Confirmed> {
    const json = this.jsonEnabled()
    const ask = (trial: boolean) => this.call('POST /api/storage/confirm', { body: { dryRun: trial } })
    const { old } = await ask(true)
    if (dryRun) return ask(true)
    if (old !== null && asksFirst({ yes, json, nextSteps: ['add --yes to remove it'] }))
      await askAbout({ yes, json, nextSteps: [] }, () => ({
        lines: [`Removes the old store permanently: ${old}`],
        question: 'Remove it?',
        typed: 'remove',
      }))
    const done = await ask(false)
    if (!json) print(done.removed ? `removed ${done.old}` : 'nothing to remove')
    return done
  }

  /** The daemon serves nothing while it moves, so it looks for a file. */
  private cancel(): { cancelled: true } {
    requireOwnDaemon()
    const { storageMoveCancel, root } = workspacePaths(this.globals.workspace)
    try {
      writeFileSync(storageMoveCancel, '', { mode: 0o600 })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      throw new CliError(`no move is under way in ${root}`, { code: 'not_found', exit: 'notFound' })
    }
    if (!this.jsonEnabled()) print('the move ends shortly; the memories stay where they were')
    return { cancelled: true }
  }
}

import { Args, Flags } from '@oclif/core'
import { askAbout } from '../../cli/consent/consent.js'
import { restartToRestore } from '../../cli/operations/backup/restart-to-restore.js'
import {
  type NamedArchive,
  namedArchive,
  placeOf,
  restoredLine,
  restoreLines,
} from '../../cli/operations/backup.js'
import { withOpeningKey } from '../../cli/secrets/read-hidden.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { requireOwnDaemon } from '../../cli/shell/own-daemon.js'
import { print } from '../../cli/terminal/output.js'
import { ClientError } from '../../client/http/client-error.js'
import type { Reply } from '../../contract/api.js'

type Restore = Reply<'POST /api/backup/:id/restore'>
type RestoreResult = Restore | NonNullable<Reply<'GET /api/backup'>['lastRestore']>

const timeoutMs = 3_600_000
const nextSteps = ['add --dry-run to see what it would change', 'add --yes to restore it']

export default class BackupRestore extends DaemonCommand {
  static override summary = 'Restore the workspace from a backup.'
  static override description =
    'Shows what would change and asks for confirmation. The archive is verified first; only then the daemon ' +
    'restarts with it. The previous state is kept for a month (memory backup undo). Also works in an empty ' +
    'workspace, and in one whose database cannot be opened. A backup that is sealed for another workspace ' +
    'needs its recovery code, from a hidden prompt or a pipe.'
  static override examples = [
    '<%= config.bin %> backup restore backup-20260301-120000-a1b2c3',
    '<%= config.bin %> backup restore ./backup-20260301-120000-a1b2c3.tar.gz --dry-run',
  ]
  static override args = {
    backup: Args.string({
      description: 'Name of a backup, or path of an archive.',
      required: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    'dry-run': Flags.boolean({ summary: 'Show what would change without restoring.' }),
    yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y', exclusive: ['dry-run'] }),
  }

  async run(): Promise<RestoreResult> {
    const { args, flags } = await this.parse(BackupRestore)
    const named = namedArchive(args.backup)
    try {
      return await this.restore(named, { dryRun: flags['dry-run'], yes: flags.yes })
    } catch (error) {
      const file = placeOf(named, this.globals.workspace)
      const cannotStart = error instanceof ClientError && error.code === 'launch_failed'
      if (!cannotStart || file === undefined || flags['dry-run']) throw error
      return await this.restoreUnserved(file, { yes: flags.yes })
    }
  }

  private async restore(
    named: NamedArchive,
    { dryRun, yes }: { dryRun: boolean; yes: boolean },
  ): Promise<RestoreResult> {
    const json = this.jsonEnabled()
    if (dryRun) {
      const plan = await this.ask(named, { dryRun: true })
      if (!json) print(restoreLines(plan).join('\n'))
      return plan
    }
    requireOwnDaemon()
    await askAbout({ yes, json, nextSteps }, async () => ({
      lines: restoreLines(await this.ask(named, { dryRun: true })),
      question: 'Restore this backup?',
      typed: 'restore',
    }))
    const prepared = await this.ask(named, { confirm: true })
    const { lastRestore } = await restartToRestore(this.globals.workspace)
    if (!json) print(restoredLine(prepared.memories.inBackup))
    return lastRestore ?? prepared
  }

  /**
   * Restores an archive while the daemon cannot start with the current files; it applies the archive before
   * it opens them.
   */
  private async restoreUnserved(file: string, { yes }: { yes: boolean }): Promise<RestoreResult> {
    const json = this.jsonEnabled()
    await askAbout({ yes, json, nextSteps: nextSteps.slice(1) }, () => ({
      lines: [
        'The daemon cannot start with this workspace, so the changes cannot be previewed.',
        `The workspace is replaced with the contents of ${file}. The current state is kept for a month.`,
      ],
      question: 'Restore this backup?',
      typed: 'restore',
    }))
    const { lastRestore } = await restartToRestore(this.globals.workspace, ['--restore', file])
    if (!lastRestore)
      throw new ClientError('the daemon started without the restore', { code: 'launch_failed' })
    if (!json) print(restoredLine(lastRestore.memories))
    return lastRestore
  }

  /** Opens a backup that is sealed for another workspace; asked once. */
  private key: { key?: string } = {}

  private ask(named: NamedArchive, body: { confirm?: boolean; dryRun?: boolean }): Promise<Restore> {
    const options = { timeoutMs, waitingFor: 'reading the backup' }
    return withOpeningKey(given => {
      if (given.key !== undefined) this.key = given
      const asked = { ...body, ...this.key }
      return 'file' in named
        ? this.call('POST /api/backup/restore', { body: { ...named, ...asked } }, options)
        : this.call('POST /api/backup/:id/restore', { params: named, body: asked }, options)
    })
  }
}

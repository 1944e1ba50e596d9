import { Args } from '@oclif/core'
import { namedArchive, verifiedText } from '../../cli/operations/backup.js'
import { withOpeningKey } from '../../cli/secrets/read-hidden.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

type VerifyReply = Reply<'POST /api/backup/:id/verify'>
const timeoutMs = 3_600_000

export default class BackupVerify extends DaemonCommand {
  static override summary =
    'Verify a backup: read the whole archive, open its database and count its memories.'
  static override description =
    'Changes nothing. The exit code is 1 if the backup is damaged. A backup that is sealed for another ' +
    'workspace needs its recovery code, from a hidden prompt or a pipe.'
  static override examples = [
    '<%= config.bin %> backup verify',
    '<%= config.bin %> backup verify /mnt/disk/backup-20260301-120000-a1b2c3.tar.gz',
  ]
  static override args = {
    backup: Args.string({
      description: 'Name of a backup, or path of an archive (default: the newest backup).',
      ignoreStdin: true,
    }),
  }

  async run(): Promise<VerifyReply> {
    const { args } = await this.parse(BackupVerify)
    const named = namedArchive(args.backup ?? (await this.newest()))
    const options = { timeoutMs, waitingFor: 'reading the backup' }
    const report = await withOpeningKey(key =>
      'file' in named
        ? this.call('POST /api/backup/verify', { body: { ...named, ...key } }, options)
        : this.call('POST /api/backup/:id/verify', { params: named, body: key }, options),
    )
    if (!report.ok)
      throw new CliError(verifiedText(report, colorsFor()), {
        code: 'backup_invalid',
        exit: 'failure',
        nextSteps: ['memory backup list'],
        details: report.problems,
      })
    if (!this.jsonEnabled()) print(verifiedText(report, colorsFor()))
    return report
  }

  private async newest(): Promise<string> {
    const { backups } = await this.call('GET /api/backup')
    if (backups[0]) return backups[0].id
    throw new CliError('no backup found', {
      code: 'not_found',
      exit: 'notFound',
      nextSteps: ['memory backup create'],
    })
  }
}

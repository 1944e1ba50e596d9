import { setTimeout as sleep } from 'node:timers/promises'
import { createdText } from '../../cli/operations/backup.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import { startProgressBar } from '../../cli/terminal/progress.js'
import { call } from '../../client/call.js'
import type { Reply } from '../../contract/api.js'

type Backup = Reply<'GET /api/backup'>['backups'][number]

const lookEveryMs = 250
const phaseTexts = {
  database: 'copying the database',
  checking: 'checking the copy',
  files: 'packing files',
} as const

export default class BackupCreate extends DaemonCommand {
  static override summary = 'Back up the workspace to one archive.'
  static override description =
    'The archive contains a consistent copy of the database, files, skills, settings and the encrypted ' +
    'secrets. It does not contain the key of the secrets, nor what can be rebuilt or downloaded: indexes, ' +
    'models and logs. It is encrypted with age if the workspace has a key (memory key create). The daemon ' +
    'serves requests during the backup.'
  static override examples = ['<%= config.bin %> backup create']

  async run(): Promise<Backup> {
    await this.parse(BackupCreate)
    const { id } = await this.call('POST /api/backup', { body: { wait: false } })
    const backup = await this.follow(id)
    if (!this.jsonEnabled()) print(createdText(backup, colorsFor()))
    return backup
  }

  /** @throws CliError `backup_failed` with the daemon's reason. */
  private async follow(id: string): Promise<Backup> {
    const bar = startProgressBar()
    try {
      for (;;) {
        const { running, backups, lastError } = await call('GET /api/backup', {}, this.globals)
        if (running?.id === id) {
          const { phase, done, total } = running
          bar.update(phaseTexts[phase], total > 0 ? done / total : undefined)
          await sleep(lookEveryMs)
          continue
        }
        const backup = backups.find(one => one.id === id)
        if (backup) return backup
        throw new CliError(lastError ?? 'the backup failed', { code: 'backup_failed', exit: 'failure' })
      }
    } finally {
      bar.stop()
    }
  }
}

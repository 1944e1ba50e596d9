import { Flags } from '@oclif/core'
import { configText } from '../../cli/operations/git/git-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class GitConfig extends DaemonCommand {
  static override summary = 'Show or change how the workspace is committed and synced.'
  static override description =
    'Without flags, shows the current settings. Changes are saved in agent.yaml and apply at once.'
  static override examples = [
    '<%= config.bin %> git config',
    '<%= config.bin %> git config --auto-sync --interval 600',
    '<%= config.bin %> git config --no-auto-sync',
  ]
  static override flags = {
    'auto-commit': Flags.boolean({ summary: 'Commit changes at every interval.', allowNo: true }),
    'auto-sync': Flags.boolean({ summary: 'Commit, pull and push at every interval.', allowNo: true }),
    interval: Flags.integer({ summary: 'Seconds between two runs, 60 to 604800.', helpValue: 'SECONDS' }),
    remote: Flags.string({ summary: 'Name of the remote.', helpValue: 'NAME' }),
    branch: Flags.string({ summary: 'Name of the branch.', helpValue: 'NAME' }),
  }

  async run(): Promise<Reply<'GET /api/git/config'>> {
    const { flags } = await this.parse(GitConfig)
    const given = {
      autoCommit: flags['auto-commit'],
      autoSync: flags['auto-sync'],
      syncInterval: flags.interval,
      remote: flags.remote,
      branch: flags.branch,
    }
    const body = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
    const config =
      Object.keys(body).length > 0
        ? (await this.call('POST /api/git/config', { body })).config
        : await this.call('GET /api/git/config')
    if (!this.jsonEnabled()) print(configText(config, colorsFor()))
    return config
  }
}

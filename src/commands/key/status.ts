import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

type Status = Reply<'GET /api/workspace-key'>

export default class KeyStatus extends DaemonCommand {
  static override summary = 'Show whether the workspace has a key, and who can open its backups.'
  static override examples = ['<%= config.bin %> key status']

  async run(): Promise<Status> {
    await this.parse(KeyStatus)
    const status = await this.call('GET /api/workspace-key')
    if (!this.jsonEnabled()) print(statusText(status))
    return status
  }
}

function statusText({ recipient, recipients, problem }: Status): string {
  const [, ...others] = recipients
  return [
    recipient === null
      ? 'No key: backups are not encrypted. Create one: memory key create'
      : `Backups are sealed for this workspace: ${recipient}`,
    ...others.map(other => `  and for ${other} (backup.recipients)`),
    ...(problem === null ? [] : [`The store that holds the key does not open: ${problem}`]),
  ].join('\n')
}

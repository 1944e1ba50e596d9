import { Args } from '@oclif/core'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print } from '../../cli/terminal/output.js'
import { ownCredential } from '../../client/daemon/own-credential.js'
import type { Reply } from '../../contract/api.js'

export default class ApiKeyRevoke extends DaemonCommand {
  static override summary = 'Revoke an API key; requests with it are refused from now on.'
  static override examples = ['<%= config.bin %> api-key revoke svc_sk_Ab3dEf9h']
  static override args = {
    key: Args.string({ description: 'Id or prefix of the key.', required: true, ignoreStdin: true }),
  }

  async run(): Promise<Reply<'DELETE /api/auth/keys/:idOrPrefix'>> {
    const { args } = await this.parse(ApiKeyRevoke)
    const revoked = await this.call(
      'DELETE /api/auth/keys/:idOrPrefix',
      { params: { idOrPrefix: args.key } },
      { credential: () => ownCredential(this.globals.workspace) },
    )
    if (!this.jsonEnabled()) print(`Revoked ${revoked.id} at ${revoked.revokedAt}`)
    return revoked
  }
}

import {
  addressArgument,
  beginFlags,
  SyncCommand,
  type SyncStatus,
  syncTimeoutMs,
} from '../../cli/operations/sync/sync-command.js'
import { readHidden } from '../../cli/secrets/read-hidden.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { hasPipedInput } from '../../cli/shell/read-stdin.js'
import { credentialsFor } from '../../lib/network/place-address.js'

export default class SyncRecover extends SyncCommand {
  static override summary = 'Let this machine into a sync with the recovery code.'
  static override description =
    'For when no other machine is left to approve it. The code comes from a hidden prompt or a pipe. With a pipe, name the secret of a server with --credentials.'
  static override examples = ['<%= config.bin %> sync recover ~/Dropbox/memory']
  static override args = addressArgument
  static override flags = beginFlags

  async run(): Promise<SyncStatus> {
    const { args, flags } = await this.parse(SyncRecover)
    refuseTwoFromPipe(args.address, flags.credentials)
    const place = await this.agreedPlace(args.address, flags)
    const code = await readHidden({ label: 'Recovery code' })
    await this.call('POST /api/sync/recover', { body: { ...place, code } }, { timeoutMs: syncTimeoutMs })
    return this.show(await this.exchange())
  }
}

/** @throws CliError when the code and the credentials would come from one pipe */
function refuseTwoFromPipe(address: string, credentials: string | undefined): void {
  if (credentials !== undefined || credentialsFor(address) === undefined || !hasPipedInput()) return
  throw new CliError('the pipe has the recovery code; name the secret of the place with --credentials', {
    ...{ code: 'invalid_input', exit: 'usage' },
    nextSteps: ['memory secrets set NAME'],
  })
}

import { Flags } from '@oclif/core'
import { canAsk, cancelled, confirmationRequired } from '../../cli/consent/consent.js'
import { readHidden } from '../../cli/secrets/read-hidden.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'
import { newRecoveryCode, seedOfRecoveryCode } from '../../lib/keys/recovery-code.js'

type KeyCreated = Reply<'POST /api/workspace-key'> & { code: string }

const attempts = 3

export default class KeyCreate extends DaemonCommand {
  static override summary = 'Create the key of the workspace, which seals backups and exports.'
  static override description =
    'Shows a recovery code once, and asks you to type it back. Everybody who has the code can open every ' +
    'sealed backup; without it and without this machine nobody can. From then on backups are encrypted with age. ' +
    'The key is in the store of secrets (memory secrets protect).'
  static override examples = ['<%= config.bin %> key create']
  static override flags = {
    yes: Flags.boolean({ summary: 'Do not ask for the code; print it for a script to keep.', char: 'y' }),
    replace: Flags.boolean({ summary: 'Replace the present key, which still opens earlier backups.' }),
  }

  async run(): Promise<KeyCreated> {
    const { flags } = await this.parse(KeyCreate)
    const json = this.jsonEnabled()
    const { state, problem } = await this.call('GET /api/workspace-key')
    if (problem !== null) throw new CliError(problem, { code: 'secret_store_locked', exit: 'refused' })
    if (state === 'ready' && !flags.replace)
      throw new CliError('this workspace has a key already', {
        code: 'conflict',
        exit: 'refused',
        nextSteps: ['memory key status', 'add --replace to create another one'],
      })
    if (!flags.yes && !canAsk(json))
      throw confirmationRequired(['add --yes to print the recovery code without asking for it'])
    const code = newRecoveryCode()
    if (!json) print(`Recovery code: ${code}\nWrite it down now: it is not stored and never shown again.`)
    if (!flags.yes) await this.typedBack(code)
    const body = { code, replace: flags.replace }
    const reply = await this.call('POST /api/workspace-key', { body })
    if (!json) print(`Backups are sealed from now on. Public key: ${reply.recipient}`)
    return { ...reply, code }
  }

  /** @throws CliError `cancelled` after three wrong attempts; nothing is stored then. */
  private async typedBack(code: string): Promise<void> {
    const seed = seedOfRecoveryCode(code)
    for (let left = attempts; left > 0; left--) {
      const typed = seedOfRecoveryCode(await readHidden({ label: 'Type the recovery code back' }))
      if (typed && seed?.equals(typed)) return
      printNote('This is not the code above.')
    }
    throw cancelled()
  }
}

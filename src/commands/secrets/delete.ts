import { Args, Flags } from '@oclif/core'
import { askAbout, type Preview } from '../../cli/consent/consent.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class SecretsDelete extends DaemonCommand {
  static override summary = 'Delete a secret.'
  static override description = 'Asks for confirmation; a deleted value cannot be recovered.'
  static override examples = [
    '<%= config.bin %> secrets delete OLD_KEY',
    '<%= config.bin %> secrets delete OLD_KEY --yes',
  ]
  static override args = {
    name: Args.string({ description: 'Name of the secret.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    yes: Flags.boolean({ char: 'y', summary: 'Skip confirmation.' }),
  }

  async run(): Promise<Reply<'DELETE /api/secrets/:name'>> {
    const { args, flags } = await this.parse(SecretsDelete)
    const nextSteps = ['memory secrets list   shows the names', 'add --yes to delete it']
    await askAbout({ yes: flags.yes, json: this.jsonEnabled(), nextSteps }, () => this.preview(args.name))
    const reply = await this.call('DELETE /api/secrets/:name', { params: { name: args.name } })
    if (!this.jsonEnabled()) print(`Deleted ${reply.name}`)
    return reply
  }

  /** @throws CliError `not_found`, before the user is asked to confirm. */
  private async preview(name: string): Promise<Preview> {
    const { secrets } = await this.call('GET /api/secrets')
    if (!secrets.includes(name))
      throw new CliError('no secret has this name', {
        code: 'not_found',
        exit: 'notFound',
        nextSteps: ['memory secrets list   shows the names'],
      })
    return { lines: [], question: `Delete the secret ${name}? Its value cannot be recovered.` }
  }
}

import { Args, Flags } from '@oclif/core'
import { askAbout, type Preview } from '../../cli/consent/consent.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class SecretsDelete extends DaemonCommand {
  static override summary = 'Delete a secret.'
  static override description = 'Asks before it does; nothing brings the value back.'
  static override examples = [
    '<%= config.bin %> secrets delete OLD_KEY',
    '<%= config.bin %> secrets delete OLD_KEY --yes',
  ]
  static override args = {
    name: Args.string({ description: 'Its name.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    yes: Flags.boolean({ char: 'y', summary: 'Do not ask.' }),
  }

  async run(): Promise<Reply<'DELETE /api/secrets/:name'>> {
    const { args, flags } = await this.parse(SecretsDelete)
    const nextSteps = ['memory secrets list shows the names', 'add --yes to delete it']
    await askAbout({ yes: flags.yes, json: this.jsonEnabled(), nextSteps }, () => this.preview(args.name))
    const reply = await this.call('DELETE /api/secrets/:name', { params: { name: args.name } })
    if (!this.jsonEnabled()) print(`deleted ${reply.name}`)
    return reply
  }

  /** @throws CliError `not_found`, before the user is asked to confirm. */
  private async preview(name: string): Promise<Preview> {
    const { secrets } = await this.call('GET /api/secrets')
    if (!secrets.includes(name))
      throw new CliError('there is no secret of this name', {
        code: 'not_found',
        exit: 'notFound',
        nextSteps: ['memory secrets list shows them'],
      })
    return { lines: [], question: `Delete the secret ${name}? Nothing brings its value back.` }
  }
}

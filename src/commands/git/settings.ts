import { Flags } from '@oclif/core'
import { asksFirst, requireConsent } from '../../cli/consent/consent.js'
import { waitingText } from '../../cli/operations/git/git-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import { ownCredential } from '../../client/daemon/own-credential.js'
import type { Reply } from '../../contract/api.js'

type Waiting = Reply<'GET /api/git/settings'>
type Decided = Reply<'POST /api/git/settings'>

const nextSteps = ['memory git settings   shows what would change', 'add --yes to decide without a question']

export default class GitSettings extends DaemonCommand {
  static override summary = 'Show, accept or refuse security settings that a pull brought.'
  static override description =
    'Settings that decide who may call the daemon, where texts and secrets go and what is installed never ' +
    'change by a pull, and mode team never ends by an edit of agent.yaml alone: they wait here. Works on the ' +
    'machine of the daemon only.'
  static override examples = [
    '<%= config.bin %> git settings',
    '<%= config.bin %> git settings --accept',
    '<%= config.bin %> git settings --refuse',
  ]
  static override flags = {
    accept: Flags.boolean({ summary: 'Put the settings of agent.yaml in force.', exclusive: ['refuse'] }),
    refuse: Flags.boolean({ summary: 'Restore the settings in force in agent.yaml.' }),
    yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y' }),
  }

  async run(): Promise<Waiting | Decided> {
    const { flags } = await this.parse(GitSettings)
    const json = this.jsonEnabled()
    const options = { credential: () => ownCredential(this.globals.workspace) }
    const waiting = await this.call('GET /api/git/settings', {}, options)
    const decision = flags.accept ? 'accept' : flags.refuse ? 'refuse' : undefined
    if (decision === undefined || waiting.settings.length === 0) {
      if (!json) this.show(waiting)
      return waiting
    }
    if (asksFirst({ yes: flags.yes, json, nextSteps }))
      await requireConsent({
        lines: waitingText(waiting.settings, colorsFor()),
        question: flags.accept ? 'Put these in force?' : 'Restore the settings in force?',
      })
    const body = { decision, version: waiting.version } as const
    const decided = await this.call('POST /api/git/settings', { body }, options)
    if (!json)
      printNote(flags.accept ? 'The settings are in force.' : 'agent.yaml has the settings in force.')
    return decided
  }

  private show({ settings }: Waiting): void {
    if (settings.length > 0) print(waitingText(settings, colorsFor()).join('\n'))
    printNote(settings.length > 0 ? 'Next: memory git settings --accept, or --refuse' : 'No settings wait.')
  }
}

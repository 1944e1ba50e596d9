import { Args, Flags } from '@oclif/core'
import { parseRatings } from '../cli/memory/record.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { rowOf } from '../cli/shell/listed-rows.js'
import { print } from '../cli/terminal/output.js'
import { countOf } from '../lib/text/count-of.js'

export default class Feedback extends DaemonCommand {
  static override summary = 'Rate memories that a session recalled.'
  static override description =
    'A rating is 1 or helpful, 0 or neutral, -1 or harmful, or any number between. It counts for memories ' +
    "that were shown to the session, and moves them up or down in the session's next recalls."
  static override examples = [
    '<%= config.bin %> feedback --session s1 0198c0de-0000-7000-8000-000000000001=helpful',
    '<%= config.bin %> feedback --session s1 0198c0de-0000-7000-8000-000000000001=1 0198c0de-0000-7000-8000-000000000002=-1',
  ]
  static override args = {
    ratings: rowOf(
      'memory',
      Args.string({
        description: 'Ratings, as ID=NUMBER.',
        required: true,
        multiple: true,
        ignoreStdin: true,
      }),
    ),
  }
  static override flags = {
    session: Flags.string({
      summary: 'Key of the session that recalled the memories.',
      char: 's',
      required: true,
      helpValue: 'KEY',
    }),
  }

  async run() {
    const { args, flags } = await this.parse(Feedback)
    const ratings = parseRatings(args.ratings)
    const reply = await this.call('POST /api/memory/feedback', {
      body: { session_key: flags.session, ratings },
    })
    if (this.jsonEnabled()) return reply
    const { accepted, rejected } = reply
    const left =
      rejected > 0 ? `; ${rejected} skipped because they were not shown to session ${flags.session}` : ''
    print(`Rated ${countOf(accepted, 'memory', 'memories')}${left}`)
    return reply
  }
}

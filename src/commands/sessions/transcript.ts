import { Args } from '@oclif/core'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

/** A long conversation takes some time to load. */
const timeoutMs = 120_000

export default class SessionsTranscript extends DaemonCommand {
  static override summary = 'Print the transcript of a session.'
  static override examples = [
    '<%= config.bin %> sessions transcript 0198c0de-0000-7000-8000-000000000001',
    '<%= config.bin %> sessions transcript 0198c0de-0000-7000-8000-000000000001 | less',
  ]
  static override args = {
    key: rowOf(
      'session',
      Args.string({ description: 'Key of the session.', required: true, ignoreStdin: true }),
    ),
  }

  async run(): Promise<Reply<'GET /api/sessions/:key/transcript'>> {
    const { args } = await this.parse(SessionsTranscript)
    const transcript = await this.call(
      'GET /api/sessions/:key/transcript',
      { params: { key: args.key } },
      { timeoutMs },
    )
    if (!this.jsonEnabled()) print(transcript.content)
    return transcript
  }
}

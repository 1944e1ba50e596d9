import { jobLine } from '../../cli/knowledge/source-text.js'
import { watchSources } from '../../cli/knowledge/watch-sources.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { exitCodes } from '../../cli/shell/exit-codes.js'
import { print, printNote } from '../../cli/terminal/output.js'
import { plainLine } from '../../cli/terminal/text.js'
import { call } from '../../client/call.js'
import type { Reply } from '../../contract/api.js'

export default class SourcesWatch extends DaemonCommand {
  static override summary = 'Show how far the sources are that are being read, whoever asked for it.'
  static override description =
    'Ends when none is read any more; the exit code is 1 when one that it watched failed. Ctrl-C ends only the watching.'
  static override examples = ['<%= config.bin %> sources watch']

  async run(): Promise<Reply<'GET /api/sources'>> {
    await this.parse(SourcesWatch)
    const look = async () => (await call('GET /api/sources', {}, this.globals)).sources
    let ended = 0
    const sources = await watchSources(look, ({ name, indexJob }) => {
      ended++
      if (indexJob?.status === 'failed') process.exitCode = exitCodes.failure.code
      if (indexJob && !this.jsonEnabled()) print(`${plainLine(name)}: ${jobLine(indexJob)}`)
    })
    if (ended === 0 && !this.jsonEnabled()) printNote('No source is being read.')
    return { version: 1, sources: [...sources] }
  }
}

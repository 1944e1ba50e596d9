/**
 * The commands, one file each. The path is what the user types: `sources/add/github.ts` is `memory sources
 * add github`.
 *
 * A command declares its summary, flags and examples, builds its requests, calls the daemon and prints the
 * reply. Longer code is in `src/cli`, in the folder of its area. Flags come from the command line; text or
 * JSON goes to stdout, notes and errors to stderr. `npm run build` generates `docs/commands.md`, the man
 * pages and the completions from these classes.
 */

import { Args } from '@oclif/core'
import { readContent } from '../cli/memory/input.js'
import { hereOf } from '../cli/memory/project-flags.js'
import { savedLines } from '../cli/memory/remember.js'
import { rememberBody, rememberFlags, requireOneText } from '../cli/memory/remember-flags.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { colorsFor, print } from '../cli/terminal/output.js'

export default class Remember extends DaemonCommand {
  static override summary = 'Save a memory.'
  static override description =
    'Reads the text from the arguments, from --file or from a pipe. The type is inferred if it is not given. ' +
    'Prefixes of the text set fields: "critical: " pins the memory, "[a,b]: " tags it. If the text is ' +
    'already saved, the id of the existing memory is printed. The memory belongs to the project of the ' +
    'current folder; in the home folder, a root or the folder for temporary files it belongs to none. Separate tags with commas (--tags a,b) or ' +
    'repeat the flag; words after a value belong to the text.'
  static override examples = [
    '<%= config.bin %> remember "We decided to use PostgreSQL for billing" --tags billing,database',
    '<%= config.bin %> remember "critical: never force-push to main"',
    'git log -1 --format=%B | <%= config.bin %> remember - --project api',
  ]
  static override args = {
    content: Args.string({
      description: 'The text; - reads stdin.',
      multiple: true,
      ignoreStdin: true,
    }),
  }
  static override flags = rememberFlags

  async run() {
    const { args, flags, raw } = await this.parse(Remember)
    requireOneText(raw, { ...Remember.baseFlags, ...Remember.flags })
    const content = await readContent({
      words: args.content,
      file: flags.file,
    })
    const body = rememberBody(content, flags, this.globals.agent)
    const reply = await this.call('POST /api/memory/remember', { body }, hereOf(flags))
    if (this.jsonEnabled()) return reply
    const status = reply.embedded ? undefined : await this.call('GET /api/status').catch(() => undefined)
    const kept = { ...flags, agent: this.globals.agent }
    print(savedLines(reply, colorsFor(), kept, status?.embedding.state).join('\n'))
    return reply
  }
}

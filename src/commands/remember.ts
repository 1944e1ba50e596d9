/**
 * The commands: one file per command. Its path is what the user types (`sources/add/github.ts` is `memory
 * sources add github`).
 *
 * A command declares its summary, flags and examples, makes one request body of them, calls the daemon and
 * prints the reply. Everything longer is in `src/cli`, in the folder of its area. Flags come in from the
 * command line; text or JSON goes out on stdout, notes and errors on stderr. `docs/commands.md`, the man
 * pages and completions are generated from these classes by `npm run build`.
 */

import { Args } from '@oclif/core'
import { readContent } from '../cli/memory/input.js'
import { savedLines } from '../cli/memory/remember.js'
import { rememberBody, rememberFlags, requireOneText } from '../cli/memory/remember-flags.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { colorsFor, print } from '../cli/terminal/output.js'

export default class Remember extends DaemonCommand {
  static override summary = 'Save a memory.'
  static override description =
    'Takes the text from the arguments, from --file, or from a pipe. The type is inferred when it is not given. ' +
    'A prefix of the text sets fields: "critical: " pins it, "[a,b]: " tags it. A text that is known already is ' +
    'not saved twice; its id is printed. Several tags are separated by commas (--tags a,b), or the flag is repeated: ' +
    'words behind a value are words of the text.'
  static override examples = [
    '<%= config.bin %> remember "We decided to use PostgreSQL for billing" --tags billing,database',
    '<%= config.bin %> remember "critical: never force-push to main"',
    'git log -1 --format=%B | <%= config.bin %> remember - --project api',
  ]
  static override args = {
    content: Args.string({
      description: 'The text; - reads it from stdin.',
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
    const reply = await this.call('POST /api/memory/remember', { body })
    if (!this.jsonEnabled())
      print(savedLines(reply, colorsFor(), { ...flags, agent: this.globals.agent }).join('\n'))
    return reply
  }
}

import { Args, Flags } from '@oclif/core'
import { readHidden, refuseValues } from '../../cli/secrets/read-hidden.js'
import { noteShort } from '../../cli/secrets/secret-text.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'
import { nameFault, nameForm } from '../../contract/secrets/name-form.js'

const example = 'printf %s "$KEY" | memory secrets set NAME'

export default class SecretsSet extends DaemonCommand {
  static override summary = 'Store a secret, or replace its value.'
  static override description =
    'Reads the value from a hidden prompt or a pipe only, because arguments are visible in process lists and ' +
    'shell history. A trailing newline from a pipe is removed unless you give --keep-newline.'
  static override examples = [
    '<%= config.bin %> secrets set OPENAI_API_KEY',
    'printf %s "$KEY" | <%= config.bin %> secrets set OPENAI_API_KEY',
    '<%= config.bin %> secrets set DEPLOY_KEY --keep-newline < id_ed25519',
  ]
  static override args = {
    name: Args.string({
      description: 'Letters, digits and _; must not start with a digit.',
      required: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    'keep-newline': Flags.boolean({ summary: 'Keep a trailing newline from a pipe.' }),
  }
  // A surplus argument may be the secret, which oclif's error would print.
  static override strict = false

  async run(): Promise<Reply<'POST /api/secrets/:name'>> {
    refuseValues(this.argv.filter(isUnknownPair), 'value', example)
    const { args, argv, flags } = await this.parse(SecretsSet)
    refuseValues(argv.slice(1), 'value', example)
    requireName(args.name)
    const value = await readHidden({ label: `Value of ${args.name}`, keepNewline: flags['keep-newline'] })
    const reply = await this.call('POST /api/secrets/:name', { params: { name: args.name }, body: { value } })
    if (!this.jsonEnabled()) print(`Stored ${reply.name}${lineCountNote(value)}`)
    noteShort([{ name: args.name, value }])
    return reply
  }
}

/** Recognizes `--value=V` and the like, which the error for an unknown flag would print. */
function isUnknownPair(word: string): boolean {
  return /^-[^=]*=/u.test(word) && !/^--(?:workspace|agent)=/u.test(word)
}

/** Mentions the number of lines, because pasting several may be a mistake. */
function lineCountNote(value: string): string {
  const lines = value.split('\n').length
  return lines > 1 ? ` (${lines} lines)` : ''
}

/** @throws CliError for an invalid name, before the user types a value. */
function requireName(name: string): void {
  if (!nameForm.test(name)) throw new CliError(nameFault, { code: 'validation_failed', exit: 'usage' })
}

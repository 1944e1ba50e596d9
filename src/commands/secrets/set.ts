import { Args, Flags } from '@oclif/core'
import { refuseValues } from '../../cli/secrets/no-values.js'
import { readHidden } from '../../cli/secrets/read-hidden.js'
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
    'Asks for the value at a prompt that shows nothing, or takes it from a pipe, never from an argument: arguments show ' +
    'in process lists and histories. Of a pipe, one newline at the end is left out unless --keep-newline is given.'
  static override examples = [
    '<%= config.bin %> secrets set OPENAI_API_KEY',
    'printf %s "$KEY" | <%= config.bin %> secrets set OPENAI_API_KEY',
    '<%= config.bin %> secrets set DEPLOY_KEY --keep-newline < id_ed25519',
  ]
  static override args = {
    name: Args.string({
      description: 'Letters, digits and _, no digit first.',
      required: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    'keep-newline': Flags.boolean({ summary: 'A newline at the end of a pipe is part of the value.' }),
  }
  // What stands too much may be the value: the usual error would repeat it.
  static override strict = false

  async run(): Promise<Reply<'POST /api/secrets/:name'>> {
    refuseValues(this.argv.filter(isUnknownPair), 'value', example)
    const { args, argv, flags } = await this.parse(SecretsSet)
    refuseValues(argv.slice(1), 'value', example)
    requireName(args.name)
    const value = await readHidden({ label: `Value of ${args.name}`, keepNewline: flags['keep-newline'] })
    const reply = await this.call('POST /api/secrets/:name', { params: { name: args.name }, body: { value } })
    if (!this.jsonEnabled()) print(`stored ${reply.name}${linesOf(value)}`)
    noteShort([{ name: args.name, value }])
    return reply
  }
}

/** `--value=V` and the like: the error for an unknown flag repeats all of it. */
function isUnknownPair(word: string): boolean {
  return /^-[^=]*=/u.test(word) && !/^--(?:workspace|agent)=/u.test(word)
}

/** A paste of several lines is worth a look: was it meant? */
function linesOf(value: string): string {
  const lines = value.split('\n').length
  return lines > 1 ? ` (${lines} lines)` : ''
}

/** @throws CliError before a value is typed for nothing. */
function requireName(name: string): void {
  if (!nameForm.test(name)) throw new CliError(nameFault, { code: 'validation_failed', exit: 'usage' })
}

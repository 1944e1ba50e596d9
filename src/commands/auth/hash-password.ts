import { CliCommand } from '../../cli/shell/cli-command.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { hasPipedInput, readStdin } from '../../cli/shell/read-stdin.js'
import { print, printNote } from '../../cli/terminal/output.js'
import { hashPassword } from '../../lib/workspace/password-hash.js'

const maxBytes = 1024

export default class AuthHashPassword extends CliCommand {
  static override summary = 'Hash an admin password for the setting auth.login.password.passwordHash.'
  static override description =
    'Reads the password from a pipe only, because arguments are visible in process lists and shell history. ' +
    'A trailing newline is removed.'
  static override examples = [
    'read -rs p && printf %s "$p" | <%= config.bin %> auth hash-password',
    '<%= config.bin %> config set auth.login.password.passwordHash "$(<%= config.bin %> auth hash-password < file)"',
  ]

  async run(): Promise<{ passwordHash: string }> {
    await this.parse(AuthHashPassword)
    if (!hasPipedInput()) throw noInput('no password given: pipe it into the command')
    const password = (await readStdin(maxBytes)).replace(/\r?\n$/u, '')
    if (password === '') throw noInput('the password is empty')
    const passwordHash = await hashPassword(password)
    if (!this.jsonEnabled()) {
      print(passwordHash)
      printNote('Next: set it as auth.login.password.passwordHash in agent.yaml')
    }
    return { passwordHash }
  }
}

function noInput(message: string): CliError {
  return new CliError(message, {
    code: 'invalid_input',
    exit: 'usage',
    nextSteps: ['read -rs p && printf %s "$p" | memory auth hash-password'],
  })
}

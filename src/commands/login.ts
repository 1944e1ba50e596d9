import { Flags } from '@oclif/core'
import { CliCommand } from '../cli/shell/cli-command.js'
import { CliError } from '../cli/shell/cli-error.js'
import { print, printNote } from '../cli/terminal/output.js'
import { call } from '../client/call.js'
import { originFrom } from '../client/daemon/locate.js'
import { formatOrigin } from '../client/http/origin.js'

export default class Login extends CliCommand {
  static override summary = 'Log in to the daemon of a team, in a browser.'
  static override description =
    'Prints an address and a code: open it on any device and allow it with your API key. The login is saved ' +
    'in the workspace, renewed by itself, and used while SERVICE_DAEMON_URL names that daemon and ' +
    'SERVICE_API_KEY is not set. It ends with memory logout, and with the key that you used.'
  static override examples = [
    '<%= config.bin %> login --url https://memory.example.org',
    '<%= config.bin %> login --scope "recall remember"',
  ]
  static override flags = {
    url: Flags.string({ summary: 'Address of the daemon (default: SERVICE_DAEMON_URL).', helpValue: 'URL' }),
    scope: Flags.string({ summary: 'Permissions to ask for, separated by spaces.' }),
    'client-id': Flags.string({ summary: 'Id of this program at an issuer that registers none itself.' }),
  }

  async run(): Promise<{ url: string; actor: string; permissions: string[] }> {
    const { flags } = await this.parse(Login)
    const origin = daemonAddress(flags.url)
    const { logInByDevice } = await import('../client/login/device-login.js')
    const { saveLogin } = await import('../client/login/saved-login.js')
    const login = await logInByDevice({
      origin: new URL(origin).origin,
      scope: flags.scope,
      clientId: flags['client-id'],
      show: ({ url, code }) =>
        printNote(`Open ${url}\nand compare the code: ${code}\nWaiting for the login ...`),
    })
    saveLogin(this.globals.workspace, origin, login)
    process.env.SERVICE_DAEMON_URL = origin
    const { actor, permissions } = await call('GET /api/auth/whoami', {}, this.globals)
    if (!this.jsonEnabled()) print(`Logged in as ${actor}: ${permissions.join(', ') || 'nothing allowed'}`)
    if (!this.jsonEnabled() && flags.url) printNote(`To use it: export SERVICE_DAEMON_URL=${flags.url}`)
    return { url: origin, actor, permissions }
  }
}

/**
 * The origin of the daemon at which a person logs in or out, with its port.
 * @param url of the flag; default: SERVICE_DAEMON_URL. @throws CliError if neither names one
 */
export function daemonAddress(url: string | undefined): string {
  const [name, given] =
    url === undefined ? ['SERVICE_DAEMON_URL', process.env.SERVICE_DAEMON_URL] : ['--url', url]
  if (given) return formatOrigin(originFrom(name, given))
  throw new CliError('no daemon is named, and the one of this machine needs no login', {
    code: 'invalid_input',
    exit: 'usage',
    nextSteps: ['memory login --url https://memory.example.org', 'or set SERVICE_DAEMON_URL'],
  })
}

import { Flags } from '@oclif/core'
import { CliCommand } from '../cli/shell/cli-command.js'
import { print } from '../cli/terminal/output.js'
import { daemonAddress } from './login.js'

export default class Logout extends CliCommand {
  static override summary = 'End the login at the daemon of a team.'
  static override examples = ['<%= config.bin %> logout', '<%= config.bin %> logout --url https://HOST']
  static override flags = {
    url: Flags.string({ summary: 'Address of the daemon (default: SERVICE_DAEMON_URL).', helpValue: 'URL' }),
  }

  async run(): Promise<{ url: string; status: 'logged_out' | 'not_logged_in' }> {
    const { flags } = await this.parse(Logout)
    const url = daemonAddress(flags.url)
    const { readLogin, saveLogin } = await import('../client/login/saved-login.js')
    const { revoke } = await import('../client/login/token-request.js')
    const saved = readLogin(this.globals.workspace, url)
    saveLogin(this.globals.workspace, url, undefined)
    if (saved) await revoke(saved)
    if (!this.jsonEnabled()) print(saved ? `Logged out of ${url}` : `You were not logged in at ${url}`)
    return { url, status: saved ? 'logged_out' : 'not_logged_in' }
  }
}

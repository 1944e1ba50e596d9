import { Flags } from '@oclif/core'
import type { ConnectResult } from '../cli/sessions/connect/confirm-and-apply-plans.js'
import {
  connectionFlags,
  harnessArgs,
  noHarnessError,
  targetsOf,
} from '../cli/sessions/connect/connection-flags.js'
import { CliCommand } from '../cli/shell/cli-command.js'

export default class Disconnect extends CliCommand {
  static override summary = 'Disconnect a coding agent: remove its hooks and MCP server.'
  static override description =
    'If a settings file is unchanged since memory connect, its previous content is restored; otherwise only ' +
    'our entries are removed. Memories are kept. Says what it removes and asks; d shows the exact changes. ' +
    'Without a terminal, --yes is required.'
  static override examples = [
    '<%= config.bin %> disconnect claude',
    '<%= config.bin %> disconnect --all --dry-run',
    '<%= config.bin %> disconnect cursor --scope project --yes',
  ]
  static override args = harnessArgs
  static override flags = {
    all: Flags.boolean({ summary: 'Disconnect all connected coding agents.' }),
    ...connectionFlags,
    'forget-trust': Flags.boolean({
      summary: 'Also remove the entries that mark our hooks as trusted (Codex CLI).',
      allowNo: true,
    }),
  }

  async run(): Promise<ConnectResult> {
    const { args, flags } = await this.parse(Disconnect)
    const { connector } = await import('../cli/sessions/connect/connector.js')
    const does = await connector(this.globals.workspace)
    const words = args.harness
    if (!words?.length && !flags.all) throw noHarnessError('disconnect')
    const targets = targetsOf(words, flags, () => ({
      found: does.connected(flags.scope),
      none: 'no coding agent is connected',
    }))
    return does.disconnect({
      targets,
      options: { scope: flags.scope, forgetTrust: flags['forget-trust'] },
      flags,
      isJson: this.jsonEnabled(),
    })
  }
}

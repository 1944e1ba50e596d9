import { Flags } from '@oclif/core'
import {
  connectionFlags,
  harnessArgs,
  nothingNamed,
  targetsOf,
} from '../cli/sessions/connect/connection-flags.js'
import type { SettledPlans } from '../cli/sessions/connect/settle-plans.js'
import { CliCommand } from '../cli/shell/cli-command.js'

export default class Disconnect extends CliCommand {
  static override summary = 'Take hooks and MCP server out of a coding agent again.'
  static override description =
    'A settings file that is as memory connect left it gets its bytes from before; one that was changed since loses ' +
    'our entries only. Memories stay. It shows the exact changes and asks; without a terminal --yes is needed.'
  static override examples = [
    '<%= config.bin %> disconnect claude',
    '<%= config.bin %> disconnect --all --dry-run',
    '<%= config.bin %> disconnect cursor --scope project --yes',
  ]
  static override args = harnessArgs
  static override flags = {
    all: Flags.boolean({ summary: 'All harnesses that have anything of ours.' }),
    ...connectionFlags,
    'forget-trust': Flags.boolean({
      summary: 'Take out too by which entries you trusted our hooks (Codex CLI).',
      allowNo: true,
    }),
  }

  async run(): Promise<SettledPlans> {
    const { args, flags } = await this.parse(Disconnect)
    const { connector } = await import('../cli/sessions/connect/connector.js')
    const does = await connector(this.globals.workspace)
    const words = args.harness
    if (!words?.length && !flags.all) throw nothingNamed('disconnect')
    const targets = targetsOf(words, flags, () => ({
      found: does.connected(flags.scope),
      none: 'no harness is connected',
    }))
    return does.disconnect({
      targets,
      options: { scope: flags.scope, forgetTrust: flags['forget-trust'] },
      flags,
      isJson: this.jsonEnabled(),
    })
  }
}

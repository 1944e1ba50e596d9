import { existsSync } from 'node:fs'
import { CliCommand } from '../../cli/shell/cli-command.js'
import { print } from '../../cli/terminal/output.js'
import { workspacePaths } from '../../lib/workspace/paths.js'

export default class ConfigPath extends CliCommand {
  static override summary = 'Print the path of agent.yaml.'
  static override examples = ['$EDITOR "$(<%= config.bin %> config path)"']

  async run(): Promise<{ path: string; exists: boolean }> {
    await this.parse(ConfigPath)
    const { settings: path } = workspacePaths(this.globals.workspace)
    if (!this.jsonEnabled()) print(path)
    return { path, exists: existsSync(path) }
  }
}

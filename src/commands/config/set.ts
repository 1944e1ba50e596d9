import { Args } from '@oclif/core'
import { CliCommand } from '../../cli/shell/cli-command.js'
import { print } from '../../cli/terminal/output.js'
import { workspacePaths } from '../../lib/workspace/paths.js'

export default class ConfigSet extends CliCommand {
  static override summary = 'Change a setting in agent.yaml.'
  static override description =
    'The value is validated before the file is written, and comments are kept. A running daemon applies the ' +
    'change at once, except for host and port. An empty value removes the key.'
  static override examples = [
    '<%= config.bin %> config set daemon.port 4000',
    '<%= config.bin %> config set memory.pipelineV2.mutationsFrozen true',
    "<%= config.bin %> config set embedding.model ''",
  ]
  static override args = {
    key: Args.string({
      description: 'Key with dots, such as daemon.port.',
      required: true,
      ignoreStdin: true,
    }),
    value: Args.string({ description: 'New value, parsed as YAML.', required: true, ignoreStdin: true }),
  }

  async run(): Promise<{ key: string; value: unknown; file: string }> {
    const { key, value: text } = (await this.parse(ConfigSet)).args
    const { settings: file } = workspacePaths(this.globals.workspace)
    const { readSetting, writeSetting } = await import('../../cli/operations/config.js')
    writeSetting(file, key, text)
    const value = readSetting(file, key) ?? null
    if (!this.jsonEnabled())
      print(`${key} = ${value === null ? '(not set)' : JSON.stringify(value)}  (${file})`)
    return { key, value, file }
  }
}

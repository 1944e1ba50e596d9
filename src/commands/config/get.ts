import { Args } from '@oclif/core'
import { CliCommand } from '../../cli/shell/cli-command.js'
import { formatJson, print, printNote } from '../../cli/terminal/output.js'
import { workspacePaths } from '../../lib/workspace/paths.js'

export default class ConfigGet extends CliCommand {
  static override summary = 'Show one setting of agent.yaml, or all settings with their defaults.'
  static override description =
    'Works without a daemon. Environment variables that override settings are ignored.'
  static override examples = [
    '<%= config.bin %> config get',
    '<%= config.bin %> config get embedding.provider',
  ]
  static override args = {
    key: Args.string({ description: 'Key with dots, such as daemon.port.', ignoreStdin: true }),
  }

  async run(): Promise<unknown> {
    const { key } = (await this.parse(ConfigGet)).args
    const { settings: file } = workspacePaths(this.globals.workspace)
    const { readAllSettings, readSetting } = await import('../../cli/operations/config.js')
    const value = key === undefined ? readAllSettings(file) : (readSetting(file, key) ?? null)
    if (!this.jsonEnabled()) {
      await printValue(value)
      if (value === null) printNote(`${key} is not set`)
    }
    return key === undefined ? value : { key, value }
  }
}

async function printValue(value: unknown): Promise<void> {
  if (value === null) return print('')
  if (typeof value !== 'object') return print(String(value))
  const { stringify } = await import('yaml')
  print(stringify(JSON.parse(formatJson(value))))
}

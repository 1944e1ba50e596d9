import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { CliCommand } from '../../../cli/shell/cli-command.js'
import { print } from '../../../cli/terminal/output.js'
import { workspacePaths } from '../../../lib/workspace/paths.js'

export default class EmbeddingRuntimeRemove extends CliCommand {
  static override summary = 'Remove the native runtime; models then run in WebAssembly.'
  static override description = 'Succeeds if no native runtime is installed.'
  static override examples = ['<%= config.bin %> embedding runtime remove']

  async run(): Promise<{ folder: string; removed: boolean }> {
    await this.parse(EmbeddingRuntimeRemove)
    const { runtime: folder } = workspacePaths(this.globals.workspace)
    const removed = existsSync(folder)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    if (!this.jsonEnabled()) print(removed ? `Removed ${folder}` : 'No native runtime is installed.')
    return { folder, removed }
  }
}

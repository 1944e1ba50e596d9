import { installRuntime } from '../../../cli/operations/runtime/install-runtime.js'
import { CliCommand } from '../../../cli/shell/cli-command.js'
import { print, printNote } from '../../../cli/terminal/output.js'
import { startSpinner } from '../../../cli/terminal/spinner.js'
import { nativeRuntime } from '../../../lib/workspace/native-runtime.js'
import { workspacePaths } from '../../../lib/workspace/paths.js'

export default class EmbeddingRuntimeInstall extends CliCommand {
  static override summary =
    'Fetch the native runtime of models, which is faster than the one that comes along.'
  static override description =
    'A sentence model runs in WebAssembly, everywhere and without anything more. The native runtime (ONNX Runtime, from ' +
    'npm) computes the same several times faster; 290 MB are fetched and what this machine needs of them is kept. The ' +
    'daemon takes it when it next loads the model.'
  static override examples = ['<%= config.bin %> embedding runtime install']

  async run(): Promise<{ folder: string; version: string }> {
    await this.parse(EmbeddingRuntimeInstall)
    const spinner = startSpinner(`npm fetches ${nativeRuntime.name} ${nativeRuntime.version}`)
    try {
      const folder = await installRuntime(workspacePaths(this.globals.workspace).runtime)
      spinner.stop()
      if (!this.jsonEnabled()) {
        print(`${nativeRuntime.name} ${nativeRuntime.version} is in ${folder}`)
        printNote('next: memory embedding status tells the runtime once the model was loaded')
      }
      return { folder, version: nativeRuntime.version }
    } finally {
      spinner.stop()
    }
  }
}

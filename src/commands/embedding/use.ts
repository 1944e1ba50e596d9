import { resolve } from 'node:path'
import { Args } from '@oclif/core'
import { CliCommand } from '../../cli/cli-command.js'
import { requireModelFolder } from '../../cli/operations/model-folder.js'
import { print, printNote } from '../../cli/output.js'
import { expandHome, workspacePaths } from '../../lib/paths.js'

export default class EmbeddingUse extends CliCommand {
  static override summary = 'Use a model folder that is on this machine already.'
  static override description =
    'Sets embedding.modelPath in agent.yaml. Works without a daemon; a running one takes it up by itself.'
  static override examples = ['<%= config.bin %> embedding use ~/models/all-MiniLM-L6-v2']
  static override args = {
    path: Args.string({
      description: 'Folder with config.json, tokenizer.json and onnx/model*.onnx.',
      required: true,
      ignoreStdin: true,
    }),
  }

  async run(): Promise<{ modelPath: string; file: string }> {
    const { path } = (await this.parse(EmbeddingUse)).args
    const modelPath = resolve(expandHome(path))
    requireModelFolder(modelPath)
    const { settings: file } = workspacePaths(this.globals.workspace)
    const { writeSetting } = await import('../../cli/operations/settings-access.js')
    // As JSON, so that no character of a path is taken for YAML.
    writeSetting(file, 'embedding.modelPath', JSON.stringify(modelPath))
    if (!this.jsonEnabled()) {
      print(`embedding.modelPath = ${modelPath}  (${file})`)
      printNote('next: memory embedding status')
    }
    return { modelPath, file }
  }
}

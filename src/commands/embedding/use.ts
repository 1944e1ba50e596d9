import { resolve } from 'node:path'
import { Args } from '@oclif/core'
import { requireModelFolder } from '../../cli/operations/model-folder.js'
import { CliCommand } from '../../cli/shell/cli-command.js'
import { print, printNote } from '../../cli/terminal/output.js'
import { expandHome, workspacePaths } from '../../lib/workspace/paths.js'

const providers = ['static', 'local', 'openai', 'ollama', 'none'] as const

interface Used {
  provider: string
  modelPath?: string
  file: string
}

export default class EmbeddingUse extends CliCommand {
  static override summary =
    'Choose what makes vectors: the model of this package, a model folder, or a provider.'
  static override description =
    'Sets embedding.provider in agent.yaml, and embedding.modelPath for a folder. Works without a daemon; a running one takes it up by itself: vectors are made anew in the background while the old ones serve.'
  static override examples = [
    '<%= config.bin %> embedding use static',
    '<%= config.bin %> embedding use local',
    '<%= config.bin %> embedding use ~/models/all-MiniLM-L6-v2',
  ]
  static override args = {
    path: Args.string({
      description:
        'static, local, openai, ollama or none; or a folder with config.json, tokenizer.json and onnx/model*.onnx.',
      required: true,
      ignoreStdin: true,
    }),
  }

  async run(): Promise<Used> {
    const { path } = (await this.parse(EmbeddingUse)).args
    const provider = providers.find(name => name === path)
    const modelPath = provider ? undefined : resolve(expandHome(path))
    if (modelPath) requireModelFolder(modelPath)
    const { settings: file } = workspacePaths(this.globals.workspace)
    const { writeSetting } = await import('../../cli/operations/settings-access.js')
    // As JSON, so that no character of a path is taken for YAML.
    if (modelPath) writeSetting(file, 'embedding.modelPath', JSON.stringify(modelPath))
    writeSetting(file, 'embedding.provider', provider ?? 'local')
    if (!this.jsonEnabled()) {
      print(
        modelPath
          ? `embedding.modelPath = ${modelPath}  (${file})`
          : `embedding.provider = ${provider}  (${file})`,
      )
      printNote(provider === 'local' ? 'next: memory embedding pull' : 'next: memory embedding status')
    }
    return { provider: provider ?? 'local', ...(modelPath && { modelPath }), file }
  }
}

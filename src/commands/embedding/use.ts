import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Args } from '@oclif/core'
import { CliCommand } from '../../cli/shell/cli-command.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { print, printNote } from '../../cli/terminal/output.js'
import { missingFile } from '../../lib/workspace/model-folder.js'
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
    const { writeSetting } = await import('../../cli/operations/config.js')
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

/**
 * Checks that a folder holds a sentence model as the daemon will look for it.
 * @throws CliError `not_found` or `invalid_model` naming the first file that is missing.
 */
function requireModelFolder(folder: string): void {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new CliError(`${folder} is not a folder`, { code: 'not_found', exit: 'notFound' })
  }
  const missing = missingFile(folder)
  if (!missing) return
  throw new CliError(`${folder} is not a model: it lacks ${missing}`, {
    code: 'invalid_model',
    exit: 'usage',
    nextSteps: ['Give the folder of an ONNX export for transformers.js'],
  })
}

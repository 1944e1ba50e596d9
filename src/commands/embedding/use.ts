import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Args } from '@oclif/core'
import { CliCommand } from '../../cli/shell/cli-command.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { print, printNote } from '../../cli/terminal/output.js'
import { missingFile } from '../../lib/workspace/model-folder.js'
import { expandHome, workspacePaths } from '../../lib/workspace/paths.js'

const providers = ['static', 'local', 'openai', 'ollama', 'none'] as const

interface EmbeddingChoice {
  provider: string
  modelPath?: string
  file: string
}

export default class EmbeddingUse extends CliCommand {
  static override summary = 'Choose the embedding model: one of this package, a model folder or a provider.'
  static override description =
    'Sets embedding.provider in agent.yaml, and embedding.modelPath for a folder; local is the sentence ' +
    'model of this package. Works without a daemon. A ' +
    'running daemon applies the change at once: it computes new vectors in the background and uses the old ' +
    'ones until then.'
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

  async run(): Promise<EmbeddingChoice> {
    const { path } = (await this.parse(EmbeddingUse)).args
    const provider = providers.find(name => name === path)
    const modelPath = provider ? undefined : resolve(expandHome(path))
    if (modelPath) requireModelFolder(modelPath)
    const { settings: file } = workspacePaths(this.globals.workspace)
    const { writeSettings } = await import('../../cli/operations/config.js')
    writeSettings(file, {
      'embedding.provider': provider ?? 'local',
      ...(modelPath && { 'embedding.modelPath': modelPath }),
      ...(provider === 'local' && { 'embedding.model': null, 'embedding.modelPath': null }),
    })
    if (!this.jsonEnabled()) {
      print(
        modelPath
          ? `embedding.modelPath = ${modelPath}  (${file})`
          : `embedding.provider = ${provider}  (${file})`,
      )
      printNote('Next: memory embedding status')
    }
    return { provider: provider ?? 'local', ...(modelPath && { modelPath }), file }
  }
}

/**
 * Checks that a folder contains a sentence model that the daemon can load.
 * @throws CliError `not_found` or `invalid_model` with the first missing file.
 */
function requireModelFolder(folder: string): void {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new CliError(`${folder} is not a folder`, { code: 'not_found', exit: 'notFound' })
  }
  const missing = missingFile(folder)
  if (!missing) return
  throw new CliError(`${folder} is not a model folder: ${missing} is missing`, {
    code: 'invalid_model',
    exit: 'usage',
    nextSteps: ['give the folder of an ONNX export for transformers.js'],
  })
}

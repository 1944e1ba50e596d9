import { existsSync, statSync } from 'node:fs'
import { missingFile } from '../../lib/workspace/model-folder.js'
import { CliError } from '../shell/cli-error.js'

/**
 * Checks that a folder holds a sentence model as the daemon will look for it.
 * @throws CliError `not_found` or `invalid_model` naming the first file that is missing.
 */
export function requireModelFolder(folder: string): void {
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

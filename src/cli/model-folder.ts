import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CliError } from './cli-error.js'

/**
 * Checks that a folder holds a sentence model as transformers.js reads it: config.json, tokenizer.json and
 * onnx/model*.onnx.
 * @throws CliError `not_found` or `invalid_model` naming what is missing.
 */
export function requireModelFolder(folder: string): void {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new CliError(`${folder} is not a folder`, { code: 'not_found', exit: 'notFound' })
  }
  const missing = ['config.json', 'tokenizer.json'].filter(file => !existsSync(join(folder, file)))
  if (!hasWeights(join(folder, 'onnx'))) missing.push('onnx/model*.onnx')
  if (missing.length === 0) return
  throw new CliError(`${folder} is not a model: it lacks ${missing.join(', ')}`, {
    code: 'invalid_model',
    exit: 'usage',
    nextSteps: ['Give the folder of an ONNX export for transformers.js'],
  })
}

function hasWeights(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).some(file => /^model.*\.onnx$/.test(file))
}

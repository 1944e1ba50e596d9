import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Formats by file, in the order we prefer them: the quantised one is what a download fetches. */
const weightFiles = {
  'onnx/model_quantized.onnx': 'q8',
  'onnx/model.onnx': 'fp32',
  'onnx/model_fp16.onnx': 'fp16',
  'onnx/model_int8.onnx': 'int8',
  'onnx/model_uint8.onnx': 'uint8',
  'onnx/model_q4.onnx': 'q4',
} as const

export type WeightFormat = (typeof weightFiles)[keyof typeof weightFiles]

/** What a download fetches, the weights last: a folder without them counts as empty. */
export const downloadFiles = [
  'config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'onnx/model_quantized.onnx',
] as const

export interface Weights {
  folder: string
  format: WeightFormat
}

/** A name such as `owner/model`, which is also a safe folder name. */
export function isHubModel(model: string): boolean {
  return /^[A-Za-z0-9_][\w.-]*\/[A-Za-z0-9_][\w.-]*$/.test(model)
}

/** Where a downloaded model lives; null for a name that is not one of the hub's. */
export function hubFolder(modelsDir: string, model: string): string | null {
  return isHubModel(model) ? join(modelsDir, ...model.split('/')) : null
}

/** The first of the folders that holds a whole model, in the order given. */
export function findWeights(folders: (string | null | undefined)[]): Weights | null {
  for (const folder of folders) {
    if (!folder || missingFile(folder)) continue
    const found = Object.entries(weightFiles).find(([file]) => existsSync(join(folder, file)))
    if (found) return { folder, format: found[1] }
  }
  return null
}

/** The first file that a model folder lacks; undefined when it is whole. */
export function missingFile(folder: string): string | undefined {
  const description = downloadFiles.slice(0, -1).find(file => !existsSync(join(folder, file)))
  if (description) return description
  const hasWeights = Object.keys(weightFiles).some(file => existsSync(join(folder, file)))
  return hasWeights ? undefined : 'onnx/model_quantized.onnx'
}

/** Whether the settings ask for a certain model: only then is it a defect that it is not on this machine. */
export function namesModel({ model, modelPath }: { model?: string; modelPath?: string }): boolean {
  return model !== undefined || modelPath !== undefined
}

import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The sentence model of this package; its folder below `models` has this name. */
export const packagedModel = 'all-MiniLM-L6-v2'

/** Weight formats by file in order of preference: a download fetches the quantised file. */
const weightFiles = {
  'onnx/model_quantized.onnx': 'q8',
  'onnx/model.onnx': 'fp32',
  'onnx/model_fp16.onnx': 'fp16',
  'onnx/model_int8.onnx': 'int8',
  'onnx/model_uint8.onnx': 'uint8',
  'onnx/model_q4.onnx': 'q4',
} as const

export type WeightFormat = (typeof weightFiles)[keyof typeof weightFiles]

/** Files of a download, the weights last, because a folder without weights counts as empty. */
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

/** Returns true for a hub name such as `owner/model`, which is also a safe folder name. */
export function isHubModel(model: string): boolean {
  return /^[A-Za-z0-9_][\w.-]*\/[A-Za-z0-9_][\w.-]*$/.test(model)
}

/** Returns the folder of a downloaded model; null for a name that is not from the hub. */
export function hubFolder(modelsDir: string, model: string): string | null {
  return isHubModel(model) ? join(modelsDir, ...model.split('/')) : null
}

/** Returns the weights of the first folder with a complete model. */
export function findWeights(folders: (string | null | undefined)[]): Weights | null {
  for (const folder of folders) {
    if (!folder || missingFile(folder)) continue
    const found = Object.entries(weightFiles).find(([file]) => existsSync(join(folder, file)))
    if (found) return { folder, format: found[1] }
  }
  return null
}

/** Returns the first file that a model folder lacks; undefined if it is complete. */
export function missingFile(folder: string): string | undefined {
  const description = downloadFiles.slice(0, -1).find(file => !existsSync(join(folder, file)))
  if (description) return description
  const hasWeights = Object.keys(weightFiles).some(file => existsSync(join(folder, file)))
  return hasWeights ? undefined : 'onnx/model_quantized.onnx'
}

/** Returns true if the settings name a model. Only then is its absence a fault. */
export function namesModel({ model, modelPath }: { model?: string; modelPath?: string }): boolean {
  return model !== undefined || modelPath !== undefined
}

/** Native build of the model runtime, in the version that matches transformers. */
export const nativeRuntime = {
  name: 'onnxruntime-node',
  version: '1.30.0',
  /** SHA-512 of the packages that are loaded, as in package-lock.json. */
  integrity: {
    'onnxruntime-node':
      'sha512-twhs1C2C/BFkz1yc5OY0KIU2GUq6DURO7hD4bx5Q2Qy3nAMJwRXW8xU3NVczE29VA9lolLOYepoD8fjTGOfIqw==',
    'onnxruntime-common':
      'sha512-7fdVWjAID1dVhH/G8qK3APARunV4VkBFoCQAP7qp4Wkab0mrorvmc+sqiT+mKXOzDqdjN5j+/Z9nb4gzNPWcyA==',
  },
} as const

/** Returns the folder in which npm installs the runtime below a prefix. */
export function nativeRuntimeFolder(runtimeDir: string): string {
  return join(runtimeDir, 'node_modules', nativeRuntime.name)
}

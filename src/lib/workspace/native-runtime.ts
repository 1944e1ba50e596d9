import { join } from 'node:path'

/** Native build of the model runtime, in the version that matches transformers. */
export const nativeRuntime = { name: 'onnxruntime-node', version: '1.30.0' } as const

/** Returns the folder in which npm installs the runtime below a prefix. */
export function nativeRuntimeFolder(runtimeDir: string): string {
  return join(runtimeDir, 'node_modules', nativeRuntime.name)
}

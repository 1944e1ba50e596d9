import { join } from 'node:path'

/** The native build of the runtime that models run in, in the version that goes with transformers. */
export const nativeRuntime = { name: 'onnxruntime-node', version: '1.30.0' } as const

/** Where npm puts it below a folder that it is told to install into. */
export function nativeRuntimeFolder(runtimeDir: string): string {
  return join(runtimeDir, 'node_modules', nativeRuntime.name)
}

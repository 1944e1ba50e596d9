import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { InferenceSession } from 'onnxruntime-web/wasm'
import { packedFolder, readPacked } from '../../lib/files/packed-files.js'
import { nativeRuntimeFolder } from '../../lib/workspace/native-runtime.js'
import type { RuntimeKind } from './embedder.js'

type Runtime = typeof import('onnxruntime-web/wasm')

export interface OpenRuntime {
  kind: RuntimeKind
  runtime: Pick<Runtime, 'InferenceSession' | 'Tensor' | 'env'>
}

/**
 * What computes the model. The native one is several times faster and 45 MB or more, so it is not in the package; the
 * one in WebAssembly is, and runs everywhere. A native one that is there and can't be loaded is passed over.
 * @param runtimeDir where `memory embedding runtime install` puts the native one
 */
export async function openRuntime(runtimeDir: string): Promise<OpenRuntime> {
  const native = nativeOnnx(runtimeDir)
  if (native) return { kind: 'native', runtime: native }
  return { kind: 'wasm', runtime: await wasmOnnx() }
}

/** Installed for this workspace, or beside this package, where those who build it have it. */
export function nativeOnnx(runtimeDir: string): OpenRuntime['runtime'] | undefined {
  const require = createRequire(import.meta.url)
  for (const name of [nativeRuntimeFolder(runtimeDir), 'onnxruntime-node']) {
    try {
      return require(name)
    } catch {
      // Not there, or made for another machine: the next one.
    }
  }
  return undefined
}

const wasmFile = 'ort-wasm-simd-threaded'

/** The one of the package. */
export async function wasmOnnx(): Promise<OpenRuntime['runtime']> {
  const { InferenceSession, Tensor, env } = await import('onnxruntime-web/wasm')
  const folder = packedFolder(import.meta.url, './onnx', `onnxruntime-web/${wasmFile}.wasm`)
  const binary = join(folder, `${wasmFile}.wasm`)
  // Threads of its own would be started from files that a bundle does not have.
  env.wasm.numThreads = 1
  env.wasm.wasmBinary = await readPacked(binary)
  env.wasm.wasmPaths = {
    mjs: pathToFileURL(join(folder, `${wasmFile}.mjs`)).href,
    wasm: pathToFileURL(binary).href,
  }
  const create = async (model: string | Uint8Array, options?: InferenceSession.SessionOptions) =>
    InferenceSession.create(typeof model === 'string' ? await readBytes(model) : model, options)
  return { InferenceSession: { create } as typeof InferenceSession, Tensor, env }
}

async function readBytes(file: string): Promise<Uint8Array> {
  return new Uint8Array(await readFile(file))
}

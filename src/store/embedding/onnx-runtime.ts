import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { InferenceSession } from 'onnxruntime-web/wasm'
import { packedFolder, readPacked } from '../../lib/files/packed-files.js'
import { nativeRuntimeFolder } from '../../lib/workspace/model-folder.js'
import type { RuntimeKind } from './embedder.js'

type Runtime = typeof import('onnxruntime-web/wasm')

export interface OpenRuntime {
  kind: RuntimeKind
  runtime: Pick<Runtime, 'InferenceSession' | 'Tensor' | 'env'>
}

/**
 * Opens the runtime of the model. The native one is several times faster, but 45 MB or more and therefore
 * optional; the packaged WebAssembly one runs everywhere and replaces a native one that can't be loaded.
 * @param runtimeDir where `memory embedding runtime install` puts the native one
 */
export async function openRuntime(runtimeDir: string): Promise<OpenRuntime> {
  const native = nativeOnnx(runtimeDir)
  if (native) return { kind: 'native', runtime: native }
  return { kind: 'wasm', runtime: await wasmOnnx() }
}

/** Loads the native runtime of this workspace, or the development dependency of this package. */
export function nativeOnnx(runtimeDir: string): OpenRuntime['runtime'] | undefined {
  const require = createRequire(import.meta.url)
  for (const name of [nativeRuntimeFolder(runtimeDir), 'onnxruntime-node']) {
    try {
      return require(name)
    } catch {
      // Not installed, or built for another machine: try the next one.
    }
  }
  return undefined
}

const wasmFile = 'ort-wasm-simd-threaded'

/** Loads the packaged WebAssembly runtime. */
export async function wasmOnnx(): Promise<OpenRuntime['runtime']> {
  const { InferenceSession, Tensor, env } = await import('onnxruntime-web/wasm')
  const folder = packedFolder(import.meta.url, './onnx', `onnxruntime-web/${wasmFile}.wasm`)
  const binary = join(folder, `${wasmFile}.wasm`)
  // Its own threads would be started from files that the bundle does not contain.
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

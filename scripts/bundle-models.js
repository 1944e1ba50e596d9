import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const inPackages = (...parts) => join(root, 'node_modules', ...parts)

/** Of the runtime in WebAssembly the two files that it reads from where it lies; it comes in four builds. */
const runtimeFiles = ['ort-wasm-simd-threaded.wasm', 'ort-wasm-simd-threaded.mjs']

/** What sentence models have no use for: the runtime is handed over (src/store/embedding/onnx-runtime.ts), images are not read. */
const unused = /^(?:\.\/onnx-node\.js|onnxruntime-web\/webgpu|sharp)$/

/**
 * Takes transformers into the bundle from its sources, without the runtimes and the image library that it brings: 450 MB
 * of other platforms. The runtime in WebAssembly is copied beside the bundle.
 */
export function localModels(outdir) {
  return {
    name: 'local-models',
    setup({ onResolve, onLoad, onEnd }) {
      onResolve({ filter: /^@xenova\/transformers$/ }, () => ({
        path: inPackages('@xenova', 'transformers', 'src', 'transformers.js'),
      }))
      onResolve({ filter: /^onnxruntime-web\/wasm$/ }, () => ({
        path: inPackages('onnxruntime-web', 'dist', 'ort.wasm.min.mjs'),
      }))
      onResolve({ filter: unused }, ({ path, importer }) =>
        importer.includes(join('@xenova', 'transformers')) ? { path, namespace: 'unused' } : undefined,
      )
      onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'export default {}' }))
      onEnd(async () => {
        await mkdir(join(outdir, 'onnx'), { recursive: true })
        for (const name of runtimeFiles)
          await cp(inPackages('onnxruntime-web', 'dist', name), join(outdir, 'onnx', name))
      })
    },
  }
}

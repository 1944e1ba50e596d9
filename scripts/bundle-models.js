import { cp, mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { packFile } from './pack-file.js'

const root = join(import.meta.dirname, '..')
const inPackages = (...parts) => join(root, 'node_modules', ...parts)

/** The WebAssembly runtime, one of four builds; it reads two files from its own folder. */
const runtime = inPackages('onnxruntime-web', 'dist', 'ort-wasm-simd-threaded')

/**
 * Parts that sentence models do not need: src/store/embedding/onnx-runtime.ts provides the runtime, and no
 * images are read.
 */
const unused = /^(?:\.\/onnx-node\.js|onnxruntime-web\/webgpu|sharp)$/

/**
 * Bundles transformers from its sources without its runtimes and image library, which take 450 MB for other
 * platforms. The WebAssembly runtime is copied beside the bundle.
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
        const beside = join(outdir, 'onnx')
        await mkdir(beside, { recursive: true })
        await cp(`${runtime}.mjs`, join(beside, basename(`${runtime}.mjs`)))
        await packFile(`${runtime}.wasm`, beside)
      })
    },
  }
}

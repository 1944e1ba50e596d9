import { cp, mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { packFile } from './pack-file.js'

const root = join(import.meta.dirname, '..')
const inPackages = (...parts) => join(root, 'node_modules', ...parts)

/** The runtime in WebAssembly, of which there are four builds: two files that it reads from where it lies. */
const runtime = inPackages('onnxruntime-web', 'dist', 'ort-wasm-simd-threaded')

/** What sentence models have no use for: the runtime is handed over (src/store/embedding/onnx-runtime.ts), images are not read. */
const unused = /^(?:\.\/onnx-node\.js|onnxruntime-web\/webgpu|sharp)$/

/**
 * Takes transformers into the bundle from its sources, without the runtimes and the image library that it brings: 450 MB
 * of other platforms. The runtime in WebAssembly is put beside the bundle.
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

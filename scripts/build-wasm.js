import { readFile, writeFile } from 'node:fs/promises'
import wabt from 'wabt'

const vectors = new URL('../src/store/index/vectors/', import.meta.url)
const bert = new URL('../src/store/embedding/bert/', import.meta.url)

/** Compiles the kernels to modules with base64 code, so that no file has to be found at run time. */
export async function buildWasm() {
  const { parseWat } = await wabt()
  for (const [folder, kernel, name] of [
    [vectors, 'dot-kernel', 'dotKernelCode'],
    [vectors, 'coarse-kernel', 'coarseKernelCode'],
    [vectors, 'rotation-kernel', 'rotationKernelCode'],
    [bert, 'bert-kernel', 'bertKernelCode'],
  ]) {
    const parsed = parseWat(kernel, await readFile(new URL(`${kernel}.wat`, folder), 'utf8'), { simd: true })
    parsed.resolveNames()
    parsed.validate()
    const binary = Buffer.from(parsed.toBinary({}).buffer)
    parsed.destroy()
    const text = [
      `/** Compiled from ${kernel}.wat by scripts/build-wasm.js; edit that. */`,
      `export const ${name} =`,
      `  '${binary.toString('base64')}'`,
      '',
    ].join('\n')
    const target = new URL(`${kernel}-code.ts`, folder)
    const current = await readFile(target, 'utf8').catch(() => '')
    if (current !== text) await writeFile(target, text)
  }
}

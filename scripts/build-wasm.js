import { readFile, writeFile } from 'node:fs/promises'
import wabt from 'wabt'

const source = new URL('../src/store/index/simd-kernel.wat', import.meta.url)
const target = new URL('../src/store/index/simd-kernel.ts', import.meta.url)

/** Compiles the vector kernel to a module that carries it as base64: one source file more, no file to find at run time. */
export async function buildWasm() {
  const { parseWat } = await wabt()
  const parsed = parseWat('simd-kernel.wat', await readFile(source, 'utf8'), { simd: true })
  parsed.resolveNames()
  parsed.validate()
  const binary = Buffer.from(parsed.toBinary({}).buffer)
  parsed.destroy()
  const text = [
    '/** Compiled from simd-kernel.wat by scripts/build-wasm.js; edit that. */',
    'export const simdKernel =',
    `  '${binary.toString('base64')}'`,
    '',
  ].join('\n')
  const current = await readFile(target, 'utf8').catch(() => '')
  if (current !== text) await writeFile(target, text)
}

import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const safety = join(import.meta.dirname, '..', 'src', 'daemon', 'safety')
const target = join(safety, 'rules', 'needed-words.ts')

/**
 * Reads from the patterns of the safety rules which words a text must hold, and keeps them as one text: reading takes
 * each process that scans a sixth of a second, parsing what was read nothing.
 * @param folder where a module may stand for a moment
 */
export async function buildSafetyWords(folder) {
  const module = join(folder, 'safety-rules.mjs')
  await build({
    stdin: {
      contents: `export { allRules, joinedLetterRules } from './rules.js'
export { readWords } from './rules/rule.js'`,
      resolveDir: safety,
      loader: 'ts',
    },
    outfile: module,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
  })
  const { allRules, joinedLetterRules, readWords } = await import(pathToFileURL(module).href)
  await rm(module)
  const words = Object.fromEntries(
    [...allRules, ...joinedLetterRules].map(rule => [rule.id, readWords(rule)]),
  )
  const text = [
    '/** By the id of each rule, as JSON. Read from the rules by scripts/build-safety-words.js; edit those. */',
    'export const neededWords =',
    `  '${JSON.stringify(words).replace(/[\\']/gu, '\\$&')}'`,
    '',
  ].join('\n')
  const current = await readFile(target, 'utf8').catch(() => '')
  if (current !== text) await writeFile(target, text)
}

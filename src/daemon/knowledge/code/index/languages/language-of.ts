import { posix } from 'node:path'
import { languages } from './all.js'
import type { Language } from './language.js'
import { type ScannedLanguage, scannedLanguages } from './scanned.js'

export type ReadBy =
  | { parser: 'tree-sitter'; language: Language }
  | { parser: 'scanner'; language: ScannedLanguage }

const byEnding = new Map<string, ReadBy>([
  ...scannedLanguages.flatMap(language =>
    language.extensions.map(ending => [ending, { parser: 'scanner', language }] as const),
  ),
  ...languages.flatMap(language =>
    language.extensions.map(ending => [ending, { parser: 'tree-sitter', language }] as const),
  ),
])
const byFileName = new Map<string, ReadBy>(
  languages.flatMap(language =>
    (language.fileNames ?? []).map(name => [name, { parser: 'tree-sitter', language }] as const),
  ),
)

/** What reads a file, by its name; undefined for what is no code. */
export function languageOf(path: string): ReadBy | undefined {
  const name = posix.basename(path)
  return byFileName.get(name) ?? byEnding.get(posix.extname(name).toLowerCase())
}

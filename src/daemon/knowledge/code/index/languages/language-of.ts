import { posix } from 'node:path'
import { languages } from './all.js'
import type { Language } from './language.js'
import { type ScannedLanguage, scannedLanguages } from './scanned.js'

export type FileParser =
  | { parser: 'tree-sitter'; language: Language }
  | { parser: 'scanner'; language: ScannedLanguage }

const byEnding = new Map<string, FileParser>([
  ...scannedLanguages.flatMap(language =>
    language.extensions.map(ending => [ending, { parser: 'scanner', language }] as const),
  ),
  ...languages.flatMap(language =>
    language.extensions.map(ending => [ending, { parser: 'tree-sitter', language }] as const),
  ),
])
const byFileName = new Map<string, FileParser>(
  languages.flatMap(language =>
    (language.fileNames ?? []).map(name => [name, { parser: 'tree-sitter', language }] as const),
  ),
)

/** Selects the parser of a file from its name; undefined if it is not code. */
export function languageOf(path: string): FileParser | undefined {
  const name = posix.basename(path)
  return byFileName.get(name) ?? byEnding.get(posix.extname(name).toLowerCase())
}

import { posix } from 'node:path'
import { bash } from './bash.js'
import { cpp } from './cpp.js'
import { csharp } from './csharp.js'
import { go } from './go.js'
import { java } from './java.js'
import { javascript, tsx, typescript } from './javascript.js'
import type { Language } from './language.js'
import { php } from './php.js'
import { python } from './python.js'
import { ruby } from './ruby.js'
import { rust } from './rust.js'
import { type ScannedLanguage, scannedLanguages } from './scanned.js'

/** Languages parsed with a grammar. */
export const languages: readonly Language[] = [
  typescript,
  tsx,
  javascript,
  python,
  go,
  rust,
  java,
  csharp,
  cpp,
  ruby,
  php,
  bash,
]

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

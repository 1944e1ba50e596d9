import { createRequire } from 'node:module'
import { join } from 'node:path'
import type * as treeSitter from '@vscode/tree-sitter-wasm'
import { packedFolder, readPacked } from '../../../../../lib/files/packed-files.js'
import type { Language } from '../languages/language.js'

/** The parser and query of one language. */
export interface LanguageReader {
  language: Language
  parser: treeSitter.Parser
  query: treeSitter.Query
}

/**
 * Loads each grammar with the first file of its language. Only for the parsing process: V8 may crash while it
 * compiles grammars.
 */
export function createGrammars(): (language: Language) => Promise<LanguageReader> {
  const require = createRequire(import.meta.url)
  const folder = packedFolder(import.meta.url, './tree-sitter', '@vscode/tree-sitter-wasm')
  const readers = new Map<Language, Promise<LanguageReader>>()
  const begun: { init?: Promise<void> } = {}
  const load = async (language: Language): Promise<LanguageReader> => {
    const { Parser, Language: Grammar, Query } = require(join(folder, 'tree-sitter.js')) as typeof treeSitter
    // A second call would invalidate the first one.
    begun.init ??= Parser.init()
    await begun.init
    const grammar = await Grammar.load(await readPacked(join(folder, `tree-sitter-${language.grammar}.wasm`)))
    return { language, parser: new Parser().setLanguage(grammar), query: new Query(grammar, language.query) }
  }
  return language => {
    const known = readers.get(language) ?? load(language)
    readers.set(language, known)
    return known
  }
}

import { createRequire } from 'node:module'
import { join } from 'node:path'
import type * as treeSitter from '@vscode/tree-sitter-wasm'
import { packedFolder, readPacked } from '../../../../../lib/files/packed-files.js'
import type { Language } from '../languages/language.js'

/** What reads files of one language. */
export interface Reader {
  language: Language
  parser: treeSitter.Parser
  query: treeSitter.Query
}

/**
 * Grammars, each loaded when the first file of its language comes. For the process that parses alone: V8 may end one
 * while it compiles them.
 */
export function createGrammars(): (language: Language) => Promise<Reader> {
  const require = createRequire(import.meta.url)
  const folder = packedFolder(import.meta.url, './tree-sitter', '@vscode/tree-sitter-wasm')
  const readers = new Map<Language, Promise<Reader>>()
  const begun: { init?: Promise<void> } = {}
  const load = async (language: Language): Promise<Reader> => {
    const { Parser, Language: Grammar, Query } = require(join(folder, 'tree-sitter.js')) as typeof treeSitter
    // A second one would take away what the first one began.
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

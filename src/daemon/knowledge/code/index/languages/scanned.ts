import { lazy } from '../../../../../lib/concurrency/lazy.js'
import type { SymbolKind } from '../../../../../store/tables/knowledge/code-rows.js'

/**
 * A language without a grammar: patterns find definitions in single lines, with the name in the first group.
 * They are compiled for the first file that needs them.
 */
export interface ScannedLanguage {
  id: string
  extensions: readonly string[]
  patterns: readonly (readonly [kind: SymbolKind, pattern: () => RegExp])[]
}

const name = '([\\p{L}_$][\\p{L}\\p{N}_$]*)'
const pattern = (text: string) => lazy(() => new RegExp(`^[ \\t]*${text.replaceAll('NAME', name)}`, 'u'))

/** Modifiers before a definition in most of these languages. */
const before =
  '(?:(?:public|private|protected|internal|open|final|abstract|sealed|static|override|suspend|inline|data|case|implicit|lazy|fileprivate|mutating|external|async|pub|export|local)\\s+)*'

const types: ScannedLanguage['patterns'] = [
  ['class', pattern(`${before}(?:class|struct|record|object|actor)\\s+NAME`)],
  ['interface', pattern(`${before}(?:interface|protocol|trait)\\s+NAME`)],
  ['enum', pattern(`${before}enum\\s+(?:class\\s+)?NAME`)],
  ['type', pattern(`${before}(?:type|typealias|typedef)\\s+NAME`)],
]

const functionsBy = (word: string): ScannedLanguage['patterns'] => [
  ['function', pattern(`${before}${word}\\s+(?:[\\w<>?]+\\.)?NAME`)],
]

const scanned = (
  id: string,
  extensions: string[],
  ...patterns: ScannedLanguage['patterns'][]
): ScannedLanguage => ({
  id,
  extensions,
  patterns: patterns.flat(),
})

export const scannedLanguages: readonly ScannedLanguage[] = [
  scanned('kotlin', ['.kt', '.kts'], types, functionsBy('fun')),
  scanned('swift', ['.swift'], types, functionsBy('func')),
  scanned('scala', ['.scala', '.sc'], types, functionsBy('def')),
  scanned('groovy', ['.groovy', '.gradle'], types, functionsBy('def')),
  scanned('dart', ['.dart'], types, [
    ['function', pattern('(?:[\\w<>?]+\\s+)?NAME\\([^;]*\\)\\s*(?:async\\s*)?\\{')],
  ]),
  scanned('lua', ['.lua'], [['function', pattern('(?:local\\s+)?function\\s+(?:[\\w.]+[.:])?NAME')]]),
  scanned(
    'elixir',
    ['.ex', '.exs'],
    [
      ['module', () => /^[ \t]*defmodule\s+([\w.]+)/u],
      ['function', pattern('(?:def|defp|defmacro)\\s+NAME')],
    ],
  ),
  scanned(
    'perl',
    ['.pl', '.pm'],
    [
      ['module', () => /^[ \t]*package\s+([\w:]+)/u],
      ['function', pattern('sub\\s+NAME')],
    ],
  ),
  scanned('zig', ['.zig'], [['function', pattern('(?:pub\\s+)?(?:export\\s+)?fn\\s+NAME')]]),
  scanned('julia', ['.jl'], types, functionsBy('function')),
  scanned('powershell', ['.ps1', '.psm1'], [['function', () => /^[ \t]*function\s+([\w-]+)/iu]]),
  scanned(
    'sql',
    ['.sql'],
    [
      [
        'type',
        () =>
          /^[ \t]*CREATE\s+(?:OR\s+REPLACE\s+)?(?:TABLE|VIEW)\s+(?:IF\s+NOT\s+EXISTS\s+)?["`[]?([\w.]+)/iu,
      ],
      [
        'function',
        () => /^[ \t]*CREATE\s+(?:OR\s+REPLACE\s+)?(?:FUNCTION|PROCEDURE|TRIGGER)\s+["`[]?([\w.]+)/iu,
      ],
    ],
  ),
  scanned(
    'protobuf',
    ['.proto'],
    [
      ['class', pattern('message\\s+NAME')],
      ['interface', pattern('service\\s+NAME')],
      ['enum', pattern('enum\\s+NAME')],
      ['method', pattern('rpc\\s+NAME')],
    ],
  ),
  scanned(
    'haskell',
    ['.hs'],
    [
      ['type', pattern('(?:data|newtype|type|class)\\s+NAME')],
      ['function', () => /^([a-z_][\w']*)\s*::/u],
    ],
  ),
  scanned(
    'clojure',
    ['.clj', '.cljs', '.cljc'],
    [['function', () => /^\(def(?:n-?|macro|multi)?\s+([^\s()[\]]+)/u]],
  ),
  scanned('r', ['.r'], [['function', () => /^[ \t]*([\w.]+)\s*(?:<-|=)\s*function\b/u]]),
]

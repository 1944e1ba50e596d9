import type { NamedSymbol } from '../../../../../store/tables/knowledge/code-lookups.js'

/**
 * The possible meanings of a name: candidate symbols, a module path, something outside of the project
 * (`external`), or undefined if unknown.
 */
export type Meaning =
  | { symbols: readonly NamedSymbol[]; isSure: boolean }
  | { module: string }
  | 'external'
  | undefined

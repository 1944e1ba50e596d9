import type { NamedSymbol } from '../../../../../store/tables/knowledge/code-lookups.js'

/**
 * What a name may mean: symbols, of which one is meant; a module, by its path; something outside of the project
 * (`external`); or nothing that is known.
 */
export type Meaning =
  | { symbols: readonly NamedSymbol[]; isSure: boolean }
  | { module: string }
  | 'external'
  | undefined

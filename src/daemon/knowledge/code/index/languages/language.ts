import type { Node } from '@vscode/tree-sitter-wasm'
import type { ImportRow } from '../../../../../store/tables/knowledge/code-rows.js'

/** What an import names; see the columns of its row. */
export type FoundImport = Pick<ImportRow, 'specifier' | 'name' | 'local'> & { exported?: boolean }

/** A definition as its language judges it. */
export interface Definition {
  node: Node
  name: string
  /** Its text until its body. */
  head: string
}

/**
 * A language that is read by its grammar: one file each. Its query captures
 * - definitions by the name of their kind (`@function`, `@class`...), each with its `@name`, and where there are any its
 *   `@value`, its `@owner` (a type that it is written outside of) and `@of` (the type that a field or variable is declared with)
 * - `@scope`: what holds names of its own, besides definitions; `@local`: a name that is bound in it, with its `@of`
 * - `@call`, `@inherit`, `@typename`, `@use`: names that are used, with the `@qualifier` before them
 * - `@import`: what `imports` takes apart.
 */
export interface Language {
  id: string
  /** Names bind between files of one family. */
  family: string
  extensions: readonly string[]
  fileNames?: readonly string[]
  grammar: string
  query: string
  /** Qualifiers that mean the type in which they stand. */
  self: readonly string[]
  /** Members of a type are named without a qualifier inside of it. */
  hasBareMembers: boolean
  /** Names that the language itself gives: they lead nowhere, but to symbols of the same file. */
  ignored?: ReadonlySet<string>
  /** The text of a file as its grammar can read it, of the same length, where that is not all that the language allows. */
  legible?(text: string): string
  imports(node: Node): FoundImport[]
  isExported(definition: Definition): boolean
  /** The package, module or namespace that comes before all names of a file. */
  packageOf?(root: Node, path: string): string
  /** The text of a string below a definition, where documentation stands there. */
  docInside?(definition: Node): string | undefined
}

/** The text of a literal string without its quotes. */
export function unquoted(text: string): string {
  return /^(['"`])(.*)\1$/su.exec(text)?.[2] ?? text
}

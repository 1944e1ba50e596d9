import type { Node } from '@vscode/tree-sitter-wasm'
import type { CodeImportRow } from '../../../../../store/tables/knowledge/code-rows.js'

/** One imported name; see the columns of its row. */
export type FoundImport = Pick<CodeImportRow, 'specifier' | 'name' | 'local'> & { exported?: boolean }

/** A definition to be checked for visibility. */
export interface Definition {
  node: Node
  name: string
  /** Its text before the body. */
  head: string
}

/**
 * A language with a grammar; one file each. Its query captures
 * - definitions, named after their kind (`@function`, `@class`...), each with its `@name`, and if present its
 * `@value`, its `@owner` (the type, if written outside of it) and `@of` (declared type of a field or
 * variable)
 * - `@scope`: a block with its own names, besides definitions; `@local`: a name bound in it, with its `@of`
 * - `@call`, `@inherit`, `@typename`, `@use`: used names, with the `@qualifier` before them
 * - `@import`: a statement that `imports` parses
 */
export interface Language {
  id: string
  /** Names are bound between files of the same family. */
  family: string
  extensions: readonly string[]
  fileNames?: readonly string[]
  grammar: string
  query: string
  /** Qualifiers that refer to the surrounding type. */
  self: readonly string[]
  /** True if members are named without a qualifier inside their type. */
  hasBareMembers: boolean
  /** Built-in names of the language; they are only bound to symbols of the same file. */
  ignored?: ReadonlySet<string>
  /**
   * Makes a text parseable if the grammar does not support the whole language; the length must not change.
   */
  legible?(text: string): string
  imports(node: Node): FoundImport[]
  isExported(definition: Definition): boolean
  /** Returns the package, module or namespace prefix of all names in a file. */
  packageOf?(root: Node, path: string): string
  /** Returns documentation written inside a definition. */
  docInside?(definition: Node): string | undefined
}

/** Removes the quotes of a string literal. */
export function unquoted(text: string): string {
  return /^(['"`])(.*)\1$/su.exec(text)?.[2] ?? text
}

/** The parser of a file: a grammar of its language, or a scanner for the typical form of definitions. */
export type CodeParser = 'tree-sitter' | 'scanner'

/** `partial`: read despite syntax errors; `skipped`: not read, for a reason; `failed`: the parser failed. */
export type FileStatus = 'indexed' | 'partial' | 'skipped' | 'failed'

export type FileReason =
  /** In a folder of third-party packages. One row represents the folder: its path ends with a slash. */
  | 'vendored'
  | 'generated'
  | 'minified'
  | 'binary'
  | 'too_large'
  | 'not_utf8'
  /** Symbolic links are not followed. */
  | 'link'
  /** It changed during every attempt to read it. */
  | 'changing'
  | 'unreadable'
  | 'syntax_errors'
  /** The parser crashed, timed out or ran out of memory. */
  | 'parser_ended'
  | 'timed_out'
  | 'too_much_memory'

export interface FileRow {
  id: number
  /** Relative to the project, with slashes. */
  path: string
  language: string | null
  parser: CodeParser | null
  /** SHA-256 of its bytes in hex; null for files that were not read. */
  hash: string | null
  size: number
  mtime_ms: number
  lines: number
  status: FileStatus
  reason: FileReason | null
  /** A sentence for people, where the reason alone is not enough. */
  message: string | null
}

export type SymbolKind =
  | 'function'
  | 'method'
  | 'class'
  | 'interface'
  | 'type'
  | 'enum'
  | 'module'
  | 'constant'
  | 'variable'
  | 'field'
  | 'route'

export interface SymbolRow {
  id: number
  file: number
  /** The symbol it is defined in. */
  parent: number | null
  kind: SymbolKind
  name: string
  /** In lower case. */
  name_folded: string
  /**
   * The name with the enclosing names, joined by dots (`Store.open`); in Go, Java, C# and PHP the package is
   * first.
   */
  qualified_name: string
  /** Its first source lines without the body, joined into one line. */
  signature: string
  /** The first sentence of its doc comment. */
  doc: string | null
  /** Its literal value, as written. */
  value: string | null
  /** 1 when other files can refer to it. */
  exported: 0 | 1
  /** From 1. */
  start_line: number
  end_line: number
}

export interface CodeImportRow {
  id: number
  file: number
  /** As written. */
  specifier: string
  /** The imported name, `*` for all, `default`, or empty for a side-effect import. */
  name: string
  /** The local name; empty when all names are imported (Python `import *`, C# `using`). */
  local: string
  /** 1 for a re-export (`export ... from`). */
  exported: 0 | 1
  line: number
  /** Path of the file, or of the folder with a trailing slash; null for targets outside the project. */
  target: string | null
}

export type EdgeKind = 'call' | 'import' | 'inherit' | 'reference'

/**
 * Confidence of an edge. `certain`: the language itself resolves it so. `likely`: resolved through the
 * receiver's declared type or inheritance, which may be overridden. `ambiguous`: one of the candidates, or
 * none. `unresolved`: no symbol of that name, or too many.
 */
export type Confidence = 'certain' | 'likely' | 'ambiguous' | 'unresolved'

/**
 * A use that is resolved, or may be. Unresolved uses are stored separately (`code-unbound`), except
 * inheritance; imports have rows of their own.
 */
export interface EdgeRow {
  id: number
  file: number
  /** The symbol that contains the use; null for the file itself. */
  source: number | null
  kind: EdgeKind
  /** The original name, even if it was imported under another. */
  name: string
  /** The expression before the name: `this`, a module, a class, a variable. */
  qualifier: string | null
  /** The declared type of the qualifier, if it is a variable. */
  receiver: string | null
  /** Line of the first of `count` places in the same symbol. */
  line: number
  count: number
  /** Set when `certain` or `likely`. */
  target: number | null
  /** The file itself, when its own scopes resolve the name. */
  target_file: number | null
  confidence: Confidence
  /** For an ambiguous edge: symbol ids as a JSON list, at most `maxCandidates`. */
  candidates: string | null
}

/** An edge with more candidates lists none and is `unresolved`. */
export const maxCandidates = 8

/** Metadata of the whole index. */
export interface CodeAbout {
  /** Version of the tables and parser output; a different one forces a rebuild. */
  version: string
  /** `building` until the first run finished; the index is incomplete until then. */
  state: 'building' | 'ready'
  /** ISO times of the last run; empty before its end. */
  startedAt: string
  finishedAt: string
  /** `yes` during a run, and after a run that was interrupted. */
  pending: 'yes' | 'no'
  /** Package names of the project, as JSON; empty before the first run. */
  manifests: string
}

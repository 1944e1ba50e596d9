/** Who read a file: a grammar of its language, or a scanner that knows what definitions look like. */
export type CodeParser = 'tree-sitter' | 'scanner'

/**
 * `partial`: what could be read of a file with syntax errors; `skipped`: not looked into, for a reason; `failed`: its
 * parser gave up.
 */
export type FileStatus = 'indexed' | 'partial' | 'skipped' | 'failed'

export type FileReason =
  /** In a folder of packages of others. One row stands for the folder: its path ends with a slash. */
  | 'vendored'
  | 'generated'
  | 'minified'
  | 'binary'
  | 'too_large'
  | 'not_utf8'
  /** A link: nothing is followed. */
  | 'link'
  /** Written to each time it was read. */
  | 'changing'
  | 'unreadable'
  | 'syntax_errors'
  /** What ended the parser, or took it too long. */
  | 'parser_ended'
  | 'timed_out'
  | 'too_much_memory'

export interface FileRow {
  id: number
  /** Relative to the project, with slashes. */
  path: string
  language: string | null
  parser: CodeParser | null
  /** SHA-256 of its bytes, in hex; null for what was not read. */
  hash: string | null
  size: number
  mtime_ms: number
  lines: number
  status: FileStatus
  reason: FileReason | null
  /** A sentence for people, where the reason alone says too little. */
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
  /** The symbol that it is defined in. */
  parent: number | null
  kind: SymbolKind
  name: string
  /** In lower case. */
  name_folded: string
  /** With the names that it is defined in, joined by dots: `Store.open`; of Go, Java, C# and PHP with the package before. */
  qualified_name: string
  /** Its first lines as written, without its body, on one line. */
  signature: string
  /** The first sentence of what is written above it. */
  doc: string | null
  /** The literal that it stands for, as written. */
  value: string | null
  /** 1 where other files can name it. */
  exported: 0 | 1
  /** From 1. */
  start_line: number
  end_line: number
}

export interface ImportRow {
  id: number
  file: number
  /** As written. */
  specifier: string
  /** What is taken: a name, `*` for all, `default`, or empty where the module is only run. */
  name: string
  /** By which name the file knows it; empty for all names of a module (`import *` of Python, `using` of C#). */
  local: string
  /** 1 for what the file hands on (`export ... from`). */
  exported: 0 | 1
  line: number
  /** Path of the file, or of the folder with a slash at its end; null for what is outside the project. */
  target: string | null
}

export type EdgeKind = 'call' | 'import' | 'inherit' | 'reference'

/**
 * How sure an edge is. `certain`: what the language itself would take. `likely`: by the declared type of the receiver, or by
 * inheritance, which may be overridden. `ambiguous`: one of the candidates, or none of them. `unresolved`: nothing of
 * that name is in the project, or too much.
 */
export type Confidence = 'certain' | 'likely' | 'ambiguous' | 'unresolved'

/**
 * A use that leads to something, or may. What leads nowhere is kept apart (`code-unbound`), except what types inherit; what
 * is imported is told by `imports`.
 */
export interface EdgeRow {
  id: number
  file: number
  /** The symbol in which it is written; null for the file itself. */
  source: number | null
  kind: EdgeKind
  /** What is named, by its own name where it was imported by another. */
  name: string
  /** What stands before it: `this`, a module, a class, a variable. */
  qualifier: string | null
  /** The type that the qualifier is declared with, where it is a variable. */
  receiver: string | null
  /** Of the first of `count` places in the same symbol. */
  line: number
  count: number
  /** Set when `certain` or `likely`. */
  target: number | null
  /** The file itself, where its own scopes tell what is meant. */
  target_file: number | null
  confidence: Confidence
  /** Of an ambiguous edge: ids of symbols as a JSON list, at most `maxCandidates`. */
  candidates: string | null
}

/** An edge that more symbols than this may be meant by names none of them, and is `unresolved`. */
export const maxCandidates = 8

/** What is known of the whole. */
export interface CodeAbout {
  /** Of the tables and of what parsers make of a file: another one means that all is made anew. */
  version: string
  /** `building` until the first run was over: what is there then is a part. */
  state: 'building' | 'ready'
  /** ISO times of the last run; empty before its end. */
  startedAt: string
  finishedAt: string
  /** `yes` while a run is under way, and behind one that ended before it was over. */
  pending: 'yes' | 'no'
  /** Names of packages of the project, as JSON; empty before the first run. */
  manifests: string
}

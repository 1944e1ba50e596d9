import type { Node, Tree } from '@vscode/tree-sitter-wasm'
import { clip } from '../../../../../lib/text/clip.js'
import type { CodeImportRow, EdgeRow, SymbolRow } from '../../../../../store/tables/knowledge/code-rows.js'
import type { Definition, Language } from '../languages/language.js'
import type { ScannedLanguage } from '../languages/scanned.js'
import { bindInFile, type LocalBinding } from './bind-in-file.js'
import { type FoundDefinition, type FoundNodes, type FoundUse, findNodes } from './found-nodes.js'
import type { LanguageReader } from './grammars.js'
import { buildScopes, type CodeScope, createScopeFinder, nameOf, type ScopedFile } from './scopes.js'

const maxSignature = 300
const maxDoc = 300
const maxValue = 200

/** Nodes around a definition that belong to it. */
const wrappers = new Set([
  'export_statement',
  'lexical_declaration',
  'variable_declaration',
  'decorated_definition',
  'expression_statement',
  'const_declaration',
  'type_declaration',
  'template_declaration',
  'ambient_declaration',
  'field_declaration',
  'declaration',
  'var_declaration',
])

/** A symbol of a file; other symbols are referenced by their index in the list. */
export type ParsedSymbol = Omit<SymbolRow, 'id' | 'file' | 'parent' | 'name_folded' | 'exported'> & {
  parent: number | null
  exported: boolean
}

/** A used name with its binding within the file; the rest is bound among all files later. */
export type ParsedEdge = Pick<EdgeRow, 'kind' | 'name' | 'qualifier' | 'receiver' | 'line' | 'count'> & {
  source: number | null
  /** Symbols of the same file: the target, or several possible ones. */
  targets: readonly number[]
}

export type ParsedImport = Omit<CodeImportRow, 'id' | 'file' | 'target' | 'exported'> & { exported: boolean }

export interface ParsedFile {
  lines: number
  hasErrors: boolean
  symbols: ParsedSymbol[]
  imports: ParsedImport[]
  edges: ParsedEdge[]
}

/**
 * Parses the symbols of a file and the names they use.
 * @param over returns true when this takes too long
 * @returns undefined when it did
 */
export function parseFile(
  reader: LanguageReader,
  text: string,
  path: string,
  over: () => boolean,
): ParsedFile | undefined {
  const { parser, language } = reader
  parser.reset()
  const tree = parser.parse(language.legible?.(text) ?? text, null, { progressCallback: over })
  if (!tree) return undefined
  try {
    const found = findNodes(reader, tree, over)
    if (over()) return undefined
    return parsedOf(found, language, tree, text, path)
  } finally {
    tree.delete()
  }
}

function parsedOf(found: FoundNodes, language: Language, tree: Tree, text: string, path: string): ParsedFile {
  const scoped = buildScopes(found, text.length)
  const prefix = language.packageOf?.(tree.rootNode, path) ?? ''
  const symbols = symbolsOf(scoped, language, prefix, text)
  return {
    lines: tree.rootNode.endPosition.row + 1,
    hasErrors: tree.rootNode.hasError,
    symbols,
    imports: found.imports.map(one => ({ ...one, exported: one.exported ?? false })),
    edges: edgesOf(found, scoped, language),
  }
}

function symbolsOf(
  { symbols }: ScopedFile,
  language: Language,
  prefix: string,
  text: string,
): ParsedSymbol[] {
  const made: ParsedSymbol[] = []
  const byName = new Map<string, number>()
  for (const [at, { definition, scope }] of symbols.entries()) {
    const name = nameOf(definition)
    if (
      ['class', 'interface', 'enum', 'type', 'module', 'variable', 'constant', 'function'].includes(
        definition.kind,
      )
    )
      byName.set(name, at)
    const owner = definition.owner?.text.replace(/^\*/u, '').replaceAll('::', '.')
    const parent = owner === undefined ? symbolAround(scope) : (byName.get(owner) ?? null)
    const around =
      (parent === null ? undefined : made[parent]?.qualified_name) ??
      [prefix, owner].filter(Boolean).join('.')
    const told = describeSymbol(definition, language, text)
    const judged: Definition = { node: definition.node, name, head: told.signature }
    made.push({
      ...told,
      parent,
      kind: definition.kind,
      name,
      qualified_name: [around, name].filter(Boolean).join('.'),
      exported:
        language.isExported(judged) &&
        (parent === null || ['function', 'method'].includes(made[parent]?.kind ?? '') === false),
    })
  }
  return made
}

function symbolAround(scope: CodeScope): number | null {
  let at: CodeScope | undefined = scope
  while (at && at.symbol === null) at = at.parent
  return at?.symbol ?? null
}

/** Returns the symbol that contains a use. */
function sourceOf({ owner }: FoundUse, scope: CodeScope, { symbols }: ScopedFile): number | null {
  if (!owner) return symbolAround(scope)
  const at = symbols.findIndex(({ definition }) => definition.name.text === owner.text)
  return at < 0 ? symbolAround(scope) : at
}

function edgesOf(found: FoundNodes, scoped: ScopedFile, language: Language): ParsedEdge[] {
  const defining = new Set([
    ...found.definitions.map(({ name }) => name.id),
    ...found.locals.map(({ name }) => name.id),
  ])
  const locals = new Map(found.imports.filter(({ local }) => local).map(({ local, name }) => [local, name]))
  const find = createScopeFinder(scoped.scopes)
  const edges = new Map<string, ParsedEdge>()
  for (const use of found.uses) {
    if (defining.has(use.name.id) || isInRanges(found.importing, use.name.startIndex)) continue
    const scope = find(use.name.startIndex)
    const bound = bindInFile(use, scope, scoped, language)
    if (!bound || (use.kind === 'use' && !isWorthwhile(use, bound, locals))) continue
    const named = use.name.text
    const sought = bound.qualifier === null && bound.receiver === null ? locals.get(named) : undefined
    const edge: ParsedEdge = {
      kind: use.kind === 'use' ? 'reference' : use.kind,
      name:
        sought && /^[^*]/u.test(sought) && sought !== 'default' && bound.targets.length === 0
          ? sought
          : named,
      qualifier: bound.qualifier,
      receiver: bound.receiver,
      line: use.name.startPosition.row + 1,
      count: 1,
      source: sourceOf(use, scope, scoped),
      targets: bound.targets,
    }
    if (edge.kind !== 'call' && edge.source !== null && bound.targets.includes(edge.source)) continue
    note(edges, edge)
  }
  for (const edge of handlersOf(scoped)) note(edges, edge)
  return [...edges.values()]
}

/** Links a route to the function below it. */
function handlersOf({ symbols }: ScopedFile): ParsedEdge[] {
  return symbols.flatMap(({ definition, route }, at): ParsedEdge[] => {
    if (route === undefined) return []
    const line = definition.name.startPosition.row + 1
    const leads = { qualifier: null, receiver: null, line, count: 1, source: route, targets: [at] }
    return [{ ...leads, kind: 'call', name: nameOf(definition) }]
  })
}

function note(edges: Map<string, ParsedEdge>, edge: ParsedEdge): void {
  const key = JSON.stringify([edge.source, edge.kind, edge.name, edge.qualifier, edge.receiver, edge.targets])
  const known = edges.get(key)
  if (!known) edges.set(key, edge)
  else {
    known.count++
    known.line = Math.min(known.line, edge.line)
  }
}

/** A plain name counts if it leads to a symbol, was imported, or is written as a constant. */
function isWorthwhile(
  { name, qualifier }: FoundUse,
  bound: LocalBinding,
  locals: ReadonlyMap<string, string>,
): boolean {
  if (bound.targets.length > 0 || bound.receiver) return true
  const root = qualifier ? (/^[\w$]+/u.exec(qualifier.text)?.[0] ?? '') : name.text
  return locals.has(root) || (bound.receiver === null && /^[A-Z][A-Z\d]*_[A-Z\d_]+$/u.test(name.text))
}

function isInRanges(ranges: readonly (readonly [start: number, end: number])[], place: number): boolean {
  let [low, high] = [0, ranges.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const [start, end] = ranges[middle] as readonly [number, number]
    if (place < start) high = middle - 1
    else if (place >= end) low = middle + 1
    else return true
  }
  return false
}

/** Scans a file of a language without a grammar: finds definitions line by line, and no edges. */
export function scanFile({ patterns }: ScannedLanguage, text: string): ParsedFile {
  const lines = text.split('\n')
  const made = patterns.map(([kind, pattern]) => [kind, pattern()] as const)
  const symbols: ParsedSymbol[] = []
  for (const [at, line] of lines.entries()) {
    if (line.length > 1000) continue
    for (const [kind, pattern] of made) {
      const name = pattern.exec(line)?.[1]
      if (!name) continue
      symbols.push({
        kind,
        name,
        qualified_name: name,
        parent: null,
        signature: clip(line.trim().replace(/(?<!\s)\s*\{$/u, ''), 300),
        doc: null,
        value: null,
        exported: !/\b(?:private|local)\b/u.test(line),
        start_line: at + 1,
        end_line: at + 1,
      })
      break
    }
  }
  return { lines: lines.length, hasErrors: false, symbols, imports: [], edges: [] }
}

type SymbolText = Pick<ParsedSymbol, 'signature' | 'doc' | 'value' | 'start_line' | 'end_line'>

/** Extracts signature, documentation, value and lines of a symbol. */
function describeSymbol({ node, value }: FoundDefinition, language: Language, text: string): SymbolText {
  let whole = node
  while (whole.parent && wrappers.has(whole.parent.type)) whole = whole.parent
  const start = whole.namedChildCount > 3 && whole !== node ? node : whole
  const doc = language.docInside?.(node) ?? docAbove(whole)
  return {
    signature: signatureOf(start, node, text),
    doc: doc ? firstSentence(doc) : null,
    value: value ? clip(oneLine(value.text), maxValue) : null,
    start_line: start.startPosition.row + 1,
    end_line: node.endPosition.row + 1,
  }
}

/** Ends at the body; without a body after the first line. */
function signatureOf(start: Node, node: Node, text: string): string {
  const inner = node.childForFieldName('value') ?? node.childForFieldName('right') ?? node
  const body = inner.childForFieldName('body') ?? node.childForFieldName('body')
  const end = body && body.startIndex > start.startIndex ? body.startIndex : node.endIndex
  const head = text.slice(start.startIndex, Math.min(end, start.startIndex + 2000))
  const lines = body ? head : (/^[^\n]*(?:\n[^\n{]*)?/u.exec(head)?.[0] ?? head)
  return clip(oneLine(lines).replace(/(?<!\s)\s*(?:=>|[{:=])$/u, ''), maxSignature)
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ').trim()
}

/** Returns the comments directly above. */
function docAbove(node: Node): string | undefined {
  const lines: string[] = []
  let below = node.startPosition.row
  for (let at = node.previousSibling; at; at = at.previousSibling) {
    if (/^(?:attribute_item|decorator|annotation|attribute_list)$/u.test(at.type))
      below = at.startPosition.row
    else if (!at.type.includes('comment') || endRow(at) < below - 1) break
    else {
      lines.unshift(at.text)
      below = at.startPosition.row
    }
  }
  return lines.length > 0 ? lines.join('\n') : undefined
}

/** Some grammars include the line break in a comment. */
function endRow({ endPosition: { row, column } }: Node): number {
  return column === 0 ? row - 1 : row
}

/** Returns the first sentence of a comment or docstring without its marks. */
function firstSentence(comment: string): string | null {
  const plain = comment
    .split('\n')
    .map(line =>
      line
        .replace(/^\s*(?:\/\*+!?|\*+\/|\*|\/\/[/!]?|#+!?)?\s?/u, '')
        .replace(/(?<!\*)\*+\/\s*$/u, '')
        .trim(),
    )
    .filter(line => !/^(?:@\w|<\/?\w+>$)/u.test(line))
    .map(line => line.replace(/<\/?summary>/gu, ''))
    .join('\n')
    .trim()
  const paragraph = plain.split(/\n\s*\n/u)[0] ?? ''
  const sentence = /^.*?[.!?](?=\s|$)/su.exec(paragraph)?.[0] ?? paragraph
  const line = clip(oneLine(sentence), maxDoc)
  return /[\p{L}\p{N}]/u.test(line) ? line : null
}

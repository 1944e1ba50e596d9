import type { Node, Tree } from '@vscode/tree-sitter-wasm'
import type { EdgeKind, SymbolKind } from '../../../../../store/tables/knowledge/code-rows.js'
import type { FoundImport, Language } from '../languages/language.js'
import type { LanguageReader } from './grammars.js'

export interface FoundDefinition {
  kind: SymbolKind
  node: Node
  name: Node
  /** Display name, if it differs from the text of `name`. */
  title?: string
  value?: Node | undefined
  owner?: Node | undefined
  of?: Node | undefined
}

export interface FoundUse {
  kind: EdgeKind | 'use'
  name: Node
  qualifier?: Node | undefined
  /** The inheriting type, if the node is not inside of it. */
  owner?: Node | undefined
}

export interface FoundLocal {
  name: Node
  of?: Node | undefined
}

/** All matches of a query in a tree, without duplicates. */
export interface FoundNodes {
  definitions: FoundDefinition[]
  uses: FoundUse[]
  locals: FoundLocal[]
  scopes: Node[]
  imports: (FoundImport & { line: number })[]
  /** Ranges of imported names, in order; they do not count as uses. */
  importing: (readonly [start: number, end: number])[]
}

/** If several patterns match a definition, the first kind in this list wins. */
const kinds: readonly SymbolKind[] = [
  'route',
  'method',
  'function',
  'class',
  'interface',
  'enum',
  'type',
  'module',
  'constant',
  'field',
  'variable',
]
const uses = { inherit: 'inherit', call: 'call', typename: 'reference', use: 'use' } as const
const verbs = new Set(['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'route'])
/** With more partial matches than this, tree-sitter drops some. */
const matchLimit = 65_536

type Captures = Record<string, Node | undefined>

/** @param over returns true when reading takes too long; the query then stops early */
export function findNodes({ query, language }: LanguageReader, tree: Tree, over: () => boolean): FoundNodes {
  const definitions = new Map<number, FoundDefinition>()
  const used = new Map<number, FoundUse>()
  const locals = new Map<number, FoundLocal>()
  const found: FoundNodes = { definitions: [], uses: [], locals: [], scopes: [], imports: [], importing: [] }
  for (const { captures } of query.matches(tree.rootNode, { matchLimit, progressCallback: over })) {
    const by: Captures = {}
    for (const { name, node } of captures) by[name] = node
    noteDefinition(definitions, by)
    noteUse(used, by)
    if (by.scope) found.scopes.push(by.scope)
    if (by.local) noteLocal(locals, by.local, by.of)
    if (by.locals) for (const name of by.locals.descendantsOfType(bound)) if (name) noteLocal(locals, name)
    if (by.import) noteImport(found, by.import, language)
  }
  const isImported = importedNames(found)
  found.definitions = [...definitions.values()]
    .filter(({ kind, name }) => kind !== 'variable' || !isImported(name))
    .sort((a, b) => a.node.startIndex - b.node.startIndex || b.node.endIndex - a.node.endIndex)
  found.uses = [...used.values()]
  found.locals = [...locals.values()].filter(({ name }) => !isImported(name))
  found.importing.sort(([a], [b]) => a - b)
  return found
}

/** Names in a destructuring pattern. */
const bound = ['identifier', 'shorthand_property_identifier_pattern', 'variable_name']

function noteLocal(locals: Map<number, FoundLocal>, name: Node, of?: Node): void {
  if (of || !locals.has(name.id)) locals.set(name.id, { name, of })
}

/** Returns a check for variables that name an import: `const a = require('b')`. */
function importedNames({ imports }: FoundNodes): (name: Node) => boolean {
  const places = new Set(imports.map(({ local, line }) => `${line} ${local}`))
  return name => places.has(`${name.startPosition.row + 1} ${name.text}`)
}

/** Import statements that may also contain other code. */
const mixed = new Set([
  'export_statement',
  'call_expression',
  'assignment_expression',
  'call',
  'command',
  'expression_statement',
])

function noteImport(found: FoundNodes, node: Node, language: Language): void {
  const line = node.startPosition.row + 1
  found.imports.push(...language.imports(node).map(one => ({ ...one, line })))
  const names = mixed.has(node.type)
    ? node.namedChildren.filter(child => child?.type === 'export_clause')
    : [node]
  for (const one of names) if (one) found.importing.push([one.startIndex, one.endIndex])
}

function noteDefinition(definitions: Map<number, FoundDefinition>, by: Captures): void {
  const kind = kinds.find(each => by[each])
  const node = kind && by[kind]
  if (!node || !by.name) return
  const title = kind === 'route' ? routeTitle(by.verb?.text ?? '', by.name.text) : undefined
  if (kind === 'route' && !title) return
  const known = definitions.get(by.name.id)
  if (known && kinds.indexOf(known.kind) < kinds.indexOf(kind)) return
  definitions.set(by.name.id, {
    ...known,
    kind,
    node,
    name: by.name,
    ...(title && { title }),
    ...(by.value && { value: by.value }),
    ...(by.owner && { owner: by.owner }),
    ...(by.of && { of: by.of }),
  })
}

/** Formats `get` and `'/users'` as `GET /users`; undefined if it is not a route. */
function routeTitle(verb: string, literal: string): string | undefined {
  const path = /^[\w@]*["'`](\/[^"'`\s]*)["'`]$/u.exec(literal)?.[1]
  const method = verb
    .toLowerCase()
    .replace(/mapping$/u, '')
    .replace(/^http/u, '')
  if (!path || !verbs.has(method)) return undefined
  return `${method === 'route' ? 'ANY' : method.toUpperCase()} ${path}`
}

function noteUse(used: Map<number, FoundUse>, by: Captures): void {
  for (const [capture, kind] of Object.entries(uses)) {
    const name = by[capture]
    if (!name) continue
    const known = used.get(name.id)
    if (known && rank(known) <= rank({ kind, name, qualifier: by.qualifier })) continue
    used.set(name.id, { kind, name, qualifier: by.qualifier ?? known?.qualifier, owner: by.owner })
  }
}

const order = Object.values(uses) as string[]
/** A lower rank gives more information about a name. */
function rank({ kind, qualifier }: FoundUse): number {
  return order.indexOf(kind) * 2 + (qualifier ? 0 : 1)
}

import type { Node } from '@vscode/tree-sitter-wasm'
import type { FoundDefinition, FoundNodes } from './found-nodes.js'

export interface CodeScope {
  start: number
  end: number
  parent: CodeScope | undefined
  /** Index of its symbol; null for the file and for blocks. */
  symbol: number | null
  /** Members of a type need a qualifier, except in some languages. */
  kind: 'file' | 'type' | 'function' | 'block'
  /** Id of the route's node. */
  route?: number
  /** Local names with their declared type, if known. */
  locals: Map<string, string | null>
  /** Symbols defined in this scope, by name. */
  symbols: Map<string, number[]>
}

const types = new Set(['class', 'interface', 'enum', 'type'])
const callable = new Set(['function', 'method'])
const values = new Set(['field', 'constant', 'variable'])
/** Nodes of nested functions; names inside of them are not symbols. */
const functions = /function|lambda|closure|do_block/u
/** Kinds that are symbols even inside a function. */
const symbolKinds = new Set([...types, ...callable, 'module', 'route'])

export interface ScopedFile {
  /** Outer scopes first, ordered by start. */
  scopes: CodeScope[]
  /** Symbols, each with the scope that contains its name. */
  symbols: ScopedSymbol[]
}

export interface ScopedSymbol {
  definition: FoundDefinition
  scope: CodeScope
  /** Index of the route written above it. */
  route?: number | undefined
}

/** Builds the scopes of a file and assigns each symbol and local name to one. */
export function buildScopes(found: FoundNodes, fileEnd: number): ScopedFile {
  const file: CodeScope = { ...scopeOf(0, fileEnd + 1, undefined), kind: 'file' }
  const scopes: CodeScope[] = [file]
  const symbols: ScopedFile['symbols'] = []
  const named = new Set<number>()
  let at = file
  for (const { node, definition } of inOrder(found)) {
    while (node.endIndex > at.end && at.parent) at = at.parent
    while (node.startIndex >= at.end && at.parent) at = at.parent
    const route = definition && routeAbove(definition, at)
    const home =
      definition && containingScope(definition, (route === undefined ? undefined : at.parent) ?? at)
    const symbol = home ? symbolIndexOf(definition, home, symbols) : null
    if (home && symbol !== null) {
      if (home === at || route !== undefined) named.add(definition.name.id)
      if (symbol === symbols.length) {
        const name = nameOf(definition)
        home.symbols.set(name, [...(home.symbols.get(name) ?? []), symbol])
        symbols.push({ definition, scope: home, route })
      } else
        symbols[symbol] = {
          definition: mergeDefinitions(symbols[symbol]?.definition, definition),
          scope: home,
          route,
        }
    }
    if (definition && home !== at && route === undefined) continue
    at = scopeOf(node.startIndex, node.endIndex, at)
    at.symbol = symbol
    at.kind = kindOf(node, definition)
    if (definition?.kind === 'route') at.route = node.id
    scopes.push(at)
  }
  const find = createScopeFinder(scopes)
  for (const { name, of } of found.locals) {
    const scope = named.has(name.id) ? undefined : find(name.startIndex)
    if (scope?.parent) scope.locals.set(name.text, of?.text ?? scope.locals.get(name.text) ?? null)
  }
  return { scopes, symbols }
}

export function nameOf({ title, name }: FoundDefinition): string {
  return title ?? name.text
}

/** Returns the route whose handler is this function. */
function routeAbove({ node, kind }: FoundDefinition, scope: CodeScope): number | undefined {
  const isIts = scope.route && (scope.route === node.id || scope.route === node.parent?.id)
  return isIts && callable.has(kind) && scope.symbol !== null ? scope.symbol : undefined
}

/**
 * Returns a new index, or that of an existing symbol: an implementation replaces its signature, and a value
 * has a single symbol.
 */
function symbolIndexOf(
  definition: FoundDefinition,
  scope: CodeScope,
  symbols: ScopedFile['symbols'],
): number {
  const known = scope.symbols.get(nameOf(definition))?.at(-1)
  const before = known === undefined ? undefined : symbols[known]?.definition
  if (known === undefined || !before) return symbols.length
  const isSignature = before.node.type.endsWith('_signature') && callable.has(definition.kind)
  const isSetAgain = values.has(definition.kind) && values.has(before.kind)
  return isSignature || isSetAgain ? known : symbols.length
}

/** Keeps the first of several assignments, with the type from any of them. */
function mergeDefinitions(known: FoundDefinition | undefined, definition: FoundDefinition): FoundDefinition {
  if (!known || !values.has(definition.kind)) return definition
  return known.of ? known : { ...known, of: definition.of }
}

function kindOf(node: Node, definition: FoundDefinition | undefined): CodeScope['kind'] {
  if (definition && types.has(definition.kind)) return 'type'
  if (definition && callable.has(definition.kind)) return 'function'
  return !definition && functions.test(node.type) ? 'function' : 'block'
}

function scopeOf(start: number, end: number, parent: CodeScope | undefined): CodeScope {
  return { start, end, parent, symbol: null, kind: 'block', locals: new Map(), symbols: new Map() }
}

/**
 * Returns the scope that contains a symbol: a field may be set in a method of its type. Undefined for local
 * names.
 */
function containingScope({ kind }: FoundDefinition, scope: CodeScope): CodeScope | undefined {
  if (kind === 'field') {
    let type: CodeScope | undefined = scope
    while (type && type.kind !== 'type') type = type.parent
    return type
  }
  return symbolKinds.has(kind) || scope.kind === 'type' || !isInFunction(scope) ? scope : undefined
}

function isInFunction(scope: CodeScope): boolean {
  for (let at: CodeScope | undefined = scope; at; at = at.parent) {
    if (at.kind === 'function') return true
    if (at.kind === 'type') return false
  }
  return false
}

/** Orders definitions and blocks from the outside in; a definition precedes a block with the same range. */
function inOrder(found: FoundNodes) {
  const blocks = found.scopes.map(node => ({ node, definition: undefined }))
  const definitions = found.definitions.map(definition => ({ node: definition.node, definition }))
  return [...definitions, ...blocks].sort(
    (a, b) =>
      a.node.startIndex - b.node.startIndex ||
      b.node.endIndex - a.node.endIndex ||
      (a.definition ? 0 : 1) - (b.definition ? 0 : 1),
  )
}

/** @returns a function that finds the innermost scope at a position */
export function createScopeFinder(scopes: readonly CodeScope[]): (place: number) => CodeScope {
  return place => {
    let [low, high] = [0, scopes.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((scopes[middle] as CodeScope).start <= place) low = middle
      else high = middle - 1
    }
    let at = scopes[low] as CodeScope
    while (at.end <= place && at.parent) at = at.parent
    return at
  }
}

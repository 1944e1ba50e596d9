import type { Node } from '@vscode/tree-sitter-wasm'
import type { FoundDefinition, FoundNodes } from './found-nodes.js'

export interface Scope {
  start: number
  end: number
  parent: Scope | undefined
  /** Its symbol; null for the file and for blocks. */
  symbol: number | null
  /** Members of a type are not named without what they belong to, but where the language says so. */
  kind: 'file' | 'type' | 'function' | 'block'
  /** Of a route: its node. */
  route?: number
  /** Names that are bound here, with the type that they are declared with, where that is known. */
  locals: Map<string, string | null>
  /** Symbols that are defined here. */
  symbols: Map<string, number[]>
}

const types = new Set(['class', 'interface', 'enum', 'type'])
const callable = new Set(['function', 'method'])
const values = new Set(['field', 'constant', 'variable'])
/** Blocks that run by themselves: of names in them none is a symbol. */
const functions = /function|lambda|closure|do_block/u
/** What is named in a function is no symbol, but for what can be called or is a type. */
const kept = new Set([...types, ...callable, 'module', 'route'])

export interface Scoped {
  /** From the outside in, in the order of their beginnings. */
  scopes: Scope[]
  /** Definitions that are symbols, each with the scope that it is named in. */
  symbols: ScopedSymbol[]
}

export interface ScopedSymbol {
  definition: FoundDefinition
  scope: Scope
  /** The route that is written above it. */
  route?: number | undefined
}

/** Lays the scopes of a file out, and says in which one each symbol and local name is bound. */
export function layScopes(found: FoundNodes, fileEnd: number): Scoped {
  const file: Scope = { ...scopeOf(0, fileEnd + 1, undefined), kind: 'file' }
  const scopes: Scope[] = [file]
  const symbols: Scoped['symbols'] = []
  const named = new Set<number>()
  let at = file
  for (const { node, definition } of inOrder(found)) {
    while (node.endIndex > at.end && at.parent) at = at.parent
    while (node.startIndex >= at.end && at.parent) at = at.parent
    const route = definition && routeAbove(definition, at)
    const home = definition && homeOf(definition, (route === undefined ? undefined : at.parent) ?? at)
    const symbol = home ? placeOf(definition, home, symbols) : null
    if (home && symbol !== null) {
      if (home === at || route !== undefined) named.add(definition.name.id)
      if (symbol === symbols.length) {
        const name = nameOf(definition)
        home.symbols.set(name, [...(home.symbols.get(name) ?? []), symbol])
        symbols.push({ definition, scope: home, route })
      } else
        symbols[symbol] = { definition: better(symbols[symbol]?.definition, definition), scope: home, route }
    }
    if (definition && home !== at && route === undefined) continue
    at = scopeOf(node.startIndex, node.endIndex, at)
    at.symbol = symbol
    at.kind = kindOf(node, definition)
    if (definition?.kind === 'route') at.route = node.id
    scopes.push(at)
  }
  const find = finder(scopes)
  for (const { name, of } of found.locals) {
    const scope = named.has(name.id) ? undefined : find(name.startIndex)
    if (scope?.parent) scope.locals.set(name.text, of?.text ?? scope.locals.get(name.text) ?? null)
  }
  return { scopes, symbols }
}

export function nameOf({ title, name }: FoundDefinition): string {
  return title ?? name.text
}

/** The route whose scope a function is the whole of. */
function routeAbove({ node, kind }: FoundDefinition, scope: Scope): number | undefined {
  const isIts = scope.route && (scope.route === node.id || scope.route === node.parent?.id)
  return isIts && callable.has(kind) && scope.symbol !== null ? scope.symbol : undefined
}

/** A new place, or that of the same: an implementation takes that of its signature, a value is there once. */
function placeOf(definition: FoundDefinition, scope: Scope, symbols: Scoped['symbols']): number {
  const known = scope.symbols.get(nameOf(definition))?.at(-1)
  const before = known === undefined ? undefined : symbols[known]?.definition
  if (known === undefined || !before) return symbols.length
  const isSignature = before.node.type.endsWith('_signature') && callable.has(definition.kind)
  const isSetAgain = values.has(definition.kind) && values.has(before.kind)
  return isSignature || isSetAgain ? known : symbols.length
}

/** The first of several places where a value is set, with what any of them tells of its type. */
function better(known: FoundDefinition | undefined, definition: FoundDefinition): FoundDefinition {
  if (!known || !values.has(definition.kind)) return definition
  return known.of ? known : { ...known, of: definition.of }
}

function kindOf(node: Node, definition: FoundDefinition | undefined): Scope['kind'] {
  if (definition && types.has(definition.kind)) return 'type'
  if (definition && callable.has(definition.kind)) return 'function'
  return !definition && functions.test(node.type) ? 'function' : 'block'
}

function scopeOf(start: number, end: number, parent: Scope | undefined): Scope {
  return { start, end, parent, symbol: null, kind: 'block', locals: new Map(), symbols: new Map() }
}

/** The scope that a definition is a symbol of: a field may be set in a method of its type. Undefined for local names. */
function homeOf({ kind }: FoundDefinition, scope: Scope): Scope | undefined {
  if (kind === 'field') {
    let type: Scope | undefined = scope
    while (type && type.kind !== 'type') type = type.parent
    return type
  }
  return kept.has(kind) || scope.kind === 'type' || !isInFunction(scope) ? scope : undefined
}

function isInFunction(scope: Scope): boolean {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    if (at.kind === 'function') return true
    if (at.kind === 'type') return false
  }
  return false
}

/** Definitions and blocks from the outside in. A block that is the body of nothing else is one of its own. */
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

/** @returns what finds the innermost scope at a place. */
export function finder(scopes: readonly Scope[]): (place: number) => Scope {
  return place => {
    let [low, high] = [0, scopes.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((scopes[middle] as Scope).start <= place) low = middle
      else high = middle - 1
    }
    let at = scopes[low] as Scope
    while (at.end <= place && at.parent) at = at.parent
    return at
  }
}

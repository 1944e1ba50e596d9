import type { Language } from '../languages/language.js'
import type { FoundUse } from './found-nodes.js'
import type { Scope, Scoped } from './scopes.js'

/** What a file alone says of a name that it uses. */
export interface Bound {
  /** Symbols of the file. */
  targets: readonly number[]
  qualifier: string | null
  /** The declared type of the variable before the name; empty for a variable, or an expression, of unknown type. */
  receiver: string | null
}

const outside: Bound = { targets: [], qualifier: null, receiver: null }
/** What can stand for a module, a type or a variable. */
const path = /^[\p{L}\p{N}_$@]+(?:(?:\.|::|->|\\)[\p{L}\p{N}_$@]+)*$/u

/** @returns undefined for a local name, which leads nowhere. */
export function bindInFile(
  use: FoundUse,
  scope: Scope,
  scoped: Scoped,
  language: Language,
): Bound | undefined {
  const name = use.name.text
  if (!use.qualifier) {
    const found = lookUp(name, scope, language)
    const members =
      found || !language.hasBareMembers ? [] : membersOf(typeAround(scope, scoped), name, scoped)
    if (members.length > 0) return { ...outside, targets: members }
    if (!found) return language.ignored?.has(name) ? undefined : outside
    return 'local' in found ? undefined : { ...outside, targets: found.symbols }
  }
  const written = use.qualifier.text
  const qualifier = written.length <= 100 && path.test(written) ? written : ''
  const [root = '', field] = qualifier.split(/\.|::|->/u)
  if (qualifier === '') return { targets: [], qualifier: null, receiver: '' }
  if (language.self.includes(root)) return ofSelf(name, field, scope, scoped, qualifier)
  const found = lookUp(root, scope, language)
  if (!found) {
    const type =
      language.hasBareMembers && field === undefined ? fieldType(typeAround(scope, scoped), root, scoped) : ''
    return { ...outside, qualifier, receiver: type || null }
  }
  if (field !== undefined) {
    if (!('local' in found)) return { targets: [], qualifier, receiver: null }
    const type = found.local ? scopeOfType(found.local, scoped) : undefined
    return { targets: [], qualifier, receiver: fieldType(type, field, scoped) }
  }
  if ('local' in found) return { targets: [], qualifier, receiver: found.local ?? '' }
  return ofSymbol(name, found.symbols, scoped, qualifier)
}

type Found = { local: string | null } | { symbols: readonly number[] }

/** The innermost meaning of a name, as far as the file knows one. */
function lookUp(name: string, scope: Scope, { hasBareMembers }: Language): Found | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const local = at.locals.get(name)
    if (local !== undefined) return { local }
    const symbols = at.kind === 'type' && !hasBareMembers ? undefined : at.symbols.get(name)
    if (symbols) return { symbols }
  }
  return undefined
}

/** `this.name`, and `this.field.name`. */
function ofSelf(
  name: string,
  field: string | undefined,
  scope: Scope,
  scoped: Scoped,
  qualifier: string,
): Bound {
  const type = typeAround(scope, scoped)
  if (field === undefined) return { targets: membersOf(type, name, scoped), qualifier, receiver: null }
  return { targets: [], qualifier, receiver: fieldType(type, field, scoped) }
}

/** The type that a place is written in, or for: methods may stand outside of theirs. */
function typeAround(scope: Scope, scoped: Scoped): Scope | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    if (at.kind === 'type') return at
    const owner = at.symbol === null ? undefined : scoped.symbols[at.symbol]?.definition.owner
    if (owner) return scopeOfType(owner.text, scoped)
  }
  return undefined
}

function scopeOfType(name: string, { scopes, symbols }: Scoped): Scope | undefined {
  return scopes.find(
    ({ kind, symbol }) =>
      kind === 'type' && symbol !== null && symbols[symbol]?.definition.name.text === name,
  )
}

/** Members of a type by their name: inside of it, or written for it elsewhere in the file. */
function membersOf(type: Scope | undefined, name: string, { symbols }: Scoped): readonly number[] {
  if (!type) return []
  const inside = type.symbols.get(name)
  if (inside) return inside
  const own = type.symbol === null ? undefined : symbols[type.symbol]?.definition.name.text
  return symbols.flatMap(({ definition }, at) =>
    definition.owner?.text === own && definition.name.text === name ? [at] : [],
  )
}

function fieldType(type: Scope | undefined, field: string, { symbols }: Scoped): string {
  const [of] = (type?.symbols.get(field) ?? []).map(at => symbols[at]?.definition.of?.text)
  return of ?? type?.locals.get(field) ?? ''
}

/** A member of a type, a module or an object of the same file; or of what a variable of it is declared with. */
function ofSymbol(name: string, owners: readonly number[], scoped: Scoped, qualifier: string): Bound {
  const targets = scoped.scopes
    .filter(({ symbol }) => symbol !== null && owners.includes(symbol))
    .flatMap(inner => membersOf(inner, name, scoped))
  if (targets.length > 0) return { targets, qualifier, receiver: null }
  const definition = scoped.symbols[owners[0] as number]?.definition
  const isVariable = ['variable', 'constant', 'field'].includes(definition?.kind ?? '')
  return { targets: [], qualifier, receiver: isVariable ? (definition?.of?.text ?? '') : null }
}

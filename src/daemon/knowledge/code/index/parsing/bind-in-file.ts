import type { Language } from '../languages/language.js'
import type { FoundUse } from './found-nodes.js'
import type { CodeScope, ScopedFile } from './scopes.js'

/** The binding of a used name within its file. */
export interface LocalBinding {
  /** Symbols of the file. */
  targets: readonly number[]
  qualifier: string | null
  /**
   * Declared type of the variable before the name; empty if a variable or an expression has an unknown type.
   */
  receiver: string | null
}

const unbound: LocalBinding = { targets: [], qualifier: null, receiver: null }
/** Qualifiers that can name a module, a type or a variable. */
const path = /^[\p{L}\p{N}_$@]+(?:(?:\.|::|->|\\)[\p{L}\p{N}_$@]+)*$/u

/** @returns undefined for a local name, which has no target */
export function bindInFile(
  use: FoundUse,
  scope: CodeScope,
  scoped: ScopedFile,
  language: Language,
): LocalBinding | undefined {
  const name = use.name.text
  if (!use.qualifier) {
    const found = lookUp(name, scope, language)
    const members =
      found || !language.hasBareMembers ? [] : membersOf(typeAround(scope, scoped), name, scoped)
    if (members.length > 0) return { ...unbound, targets: members }
    if (!found) return language.ignored?.has(name) ? undefined : unbound
    return 'local' in found ? undefined : { ...unbound, targets: found.symbols }
  }
  const written = use.qualifier.text
  const qualifier = written.length <= 100 && path.test(written) ? written : ''
  const [root = '', field] = qualifier.split(/\.|::|->/u)
  if (qualifier === '') return { targets: [], qualifier: null, receiver: '' }
  if (language.self.includes(root)) return bindSelfMember(name, field, scope, scoped, qualifier)
  const found = lookUp(root, scope, language)
  if (!found) {
    const type =
      language.hasBareMembers && field === undefined ? fieldType(typeAround(scope, scoped), root, scoped) : ''
    return { ...unbound, qualifier, receiver: type || null }
  }
  if (field !== undefined) {
    if (!('local' in found)) return { targets: [], qualifier, receiver: null }
    const type = found.local ? scopeOfType(found.local, scoped) : undefined
    return { targets: [], qualifier, receiver: fieldType(type, field, scoped) }
  }
  if ('local' in found) return { targets: [], qualifier, receiver: found.local ?? '' }
  return bindMember(name, found.symbols, scoped, qualifier)
}

type NameMatch = { local: string | null } | { symbols: readonly number[] }

/** Finds the innermost meaning of a name within the file. */
function lookUp(name: string, scope: CodeScope, { hasBareMembers }: Language): NameMatch | undefined {
  for (let at: CodeScope | undefined = scope; at; at = at.parent) {
    const local = at.locals.get(name)
    if (local !== undefined) return { local }
    const symbols = at.kind === 'type' && !hasBareMembers ? undefined : at.symbols.get(name)
    if (symbols) return { symbols }
  }
  return undefined
}

/** Binds `this.name` and `this.field.name`. */
function bindSelfMember(
  name: string,
  field: string | undefined,
  scope: CodeScope,
  scoped: ScopedFile,
  qualifier: string,
): LocalBinding {
  const type = typeAround(scope, scoped)
  if (field === undefined) return { targets: membersOf(type, name, scoped), qualifier, receiver: null }
  return { targets: [], qualifier, receiver: fieldType(type, field, scoped) }
}

/** Returns the type around a position; a method outside of its type counts as inside. */
function typeAround(scope: CodeScope, scoped: ScopedFile): CodeScope | undefined {
  for (let at: CodeScope | undefined = scope; at; at = at.parent) {
    if (at.kind === 'type') return at
    const owner = at.symbol === null ? undefined : scoped.symbols[at.symbol]?.definition.owner
    if (owner) return scopeOfType(owner.text, scoped)
  }
  return undefined
}

function scopeOfType(name: string, { scopes, symbols }: ScopedFile): CodeScope | undefined {
  return scopes.find(
    ({ kind, symbol }) =>
      kind === 'type' && symbol !== null && symbols[symbol]?.definition.name.text === name,
  )
}

/** Returns members of a type by name, defined inside of it or elsewhere in the file. */
function membersOf(type: CodeScope | undefined, name: string, { symbols }: ScopedFile): readonly number[] {
  if (!type) return []
  const inside = type.symbols.get(name)
  if (inside) return inside
  const own = type.symbol === null ? undefined : symbols[type.symbol]?.definition.name.text
  return symbols.flatMap(({ definition }, at) =>
    definition.owner?.text === own && definition.name.text === name ? [at] : [],
  )
}

function fieldType(type: CodeScope | undefined, field: string, { symbols }: ScopedFile): string {
  const [of] = (type?.symbols.get(field) ?? []).map(at => symbols[at]?.definition.of?.text)
  return of ?? type?.locals.get(field) ?? ''
}

/** Binds a member of a type, module or object of the same file, or of a variable's declared type. */
function bindMember(
  name: string,
  owners: readonly number[],
  scoped: ScopedFile,
  qualifier: string,
): LocalBinding {
  const targets = scoped.scopes
    .filter(({ symbol }) => symbol !== null && owners.includes(symbol))
    .flatMap(inner => membersOf(inner, name, scoped))
  if (targets.length > 0) return { targets, qualifier, receiver: null }
  const definition = scoped.symbols[owners[0] as number]?.definition
  const isVariable = ['variable', 'constant', 'field'].includes(definition?.kind ?? '')
  return { targets: [], qualifier, receiver: isVariable ? (definition?.of?.text ?? '') : null }
}

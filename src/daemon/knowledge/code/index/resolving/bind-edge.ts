import type { NamedSymbol, UnresolvedUse } from '../../../../../store/tables/knowledge/code-lookups.js'
import { type EdgeRow, maxCandidates } from '../../../../../store/tables/knowledge/code-rows.js'
import type { KnownCode, KnownFile, Meaning } from './known-code.js'
import { isNameIn, meaningInModule, meaningOf, meaningOfImport } from './names.js'
import { rustPath } from './rust-paths.js'

/** The target of an edge. */
export type Binding = Pick<EdgeRow, 'target' | 'target_file' | 'confidence' | 'candidates'>

export const unresolved: Binding = {
  target: null,
  target_file: null,
  confidence: 'unresolved',
  candidates: null,
}

const supers = new Set(['super', 'base', 'parent'])
const types = new Set(['class', 'interface', 'enum', 'type', 'module'])
const callable = new Set([
  'function',
  'method',
  'class',
  'type',
  'field',
  'variable',
  'constant',
  'enum',
  'interface',
])
/** Maximum depth of inheritance. */
const maxDepth = 8

/** Binds an edge among all files. Bindings from its own file are used first. */
export function bindEdge(edge: UnresolvedUse, file: KnownFile, code: KnownCode): Binding {
  if (edge.receiver === '') return guessBinding(edge, file, code)
  if (edge.receiver) return bindReceiverMember(edge, edge.receiver, file, code)
  if (edge.qualifier !== null) return bindQualified(edge, edge.qualifier, file, code)
  const meaning = nameMeaning(edge, file, code)
  if (meaning) return bindingOf(meaning, edge)
  const inherited = file.language?.hasBareMembers ? memberOfTypesAround(edge, edge.name, code) : undefined
  if (inherited) return bindingOf(inherited, edge)
  // In these languages a name may come from anywhere.
  const isOpen = ['cpp', 'ruby', 'php', 'bash'].includes(file.language?.family ?? '')
  return isOpen && edge.kind === 'call' ? guessBinding(edge, file, code) : unresolved
}

/** Resolves an unqualified name. A renamed import is stored under its original name. */
function nameMeaning(edge: UnresolvedUse, file: KnownFile, code: KnownCode): Meaning {
  const renamed = code
    .imports(file.id)
    .find(one => one.name === edge.name && one.local !== one.name && one.local !== '' && isNameIn(one, file))
  if (!renamed) return meaningOf(edge.name, file, code)
  return code.imports(file.id).some(({ local }) => local === edge.name)
    ? undefined
    : meaningOfImport(renamed, file, code)
}

function bindingOf(meaning: Meaning, { kind }: Pick<UnresolvedUse, 'kind'>, isLikely = false): Binding {
  if (!meaning || meaning === 'external' || 'module' in meaning) return unresolved
  const fitting = kind === 'call' ? meaning.symbols.filter(one => callable.has(one.kind)) : meaning.symbols
  const wanted = kind === 'inherit' ? fitting.filter(one => types.has(one.kind)) : fitting
  const [only, other] = wanted
  if (!only) return unresolved
  if (other) return ambiguous(wanted)
  const confidence = meaning.isSure && !isLikely ? 'certain' : 'likely'
  return { target: only.id, target_file: null, confidence, candidates: null }
}

export function ambiguous(symbols: readonly Pick<NamedSymbol, 'id'>[]): Binding {
  if (symbols.length > maxCandidates) return unresolved
  return { ...unresolved, confidence: 'ambiguous', candidates: JSON.stringify(symbols.map(({ id }) => id)) }
}

/** Binds a member of a variable's declared type. */
function bindReceiverMember(
  edge: UnresolvedUse,
  receiver: string,
  file: KnownFile,
  code: KnownCode,
): Binding {
  const meaning = pathMeaning(receiver.split(/\.|::|\\/u), file, code)
  return bindingOf(memberOf(meaning, edge.name, code), edge, true)
}

function bindQualified(edge: UnresolvedUse, qualifier: string, file: KnownFile, code: KnownCode): Binding {
  const parts = qualifier.split(/\.|::|->|\\/u).filter(Boolean)
  const [root = ''] = parts
  const isSuper = supers.has(root.replace(/\(.*$/u, ''))
  if (file.language?.self.includes(root) || isSuper)
    return parts.length > 1
      ? guessBinding(edge, file, code)
      : bindingOf(memberOfTypesAround(edge, edge.name, code, isSuper), edge)
  if (file.language?.family === 'rust') {
    const meaning = rustPath(`${qualifier}::${edge.name}`, file, code)
    if (meaning) return bindingOf(meaning, edge)
  }
  const owner = pathMeaning(parts, file, code)
  if (owner) return bindingOf(memberOf(owner, edge.name, code), edge)
  const whole = code
    .qualified([...parts, edge.name].join('.'))
    .filter(one => code.file(one.file)?.language?.family === file.language?.family)
  if (
    whole.length > 0 &&
    parts.length > 1 &&
    file.language?.family !== 'javascript' &&
    file.language?.family !== 'python'
  )
    return bindingOf({ symbols: whole, isSure: false }, edge)
  // These languages declare every name, so an unknown one comes from the language or its runtime.
  const isGiven = ['javascript', 'python', 'go', 'rust'].includes(file.language?.family ?? '')
  return isGiven || /^\p{Lu}/u.test(root) ? unresolved : guessBinding(edge, file, code)
}

/** Resolves `a.b.c`: a name of the file and its members, or a module imported under the whole path. */
function pathMeaning(parts: readonly string[], file: KnownFile, code: KnownCode): Meaning {
  const imports = code.imports(file.id)
  for (let length = parts.length; length > 1; length--) {
    const whole = parts.slice(0, length).join('.')
    const row = imports.find(({ local }) => local === whole)
    if (row) return followMembers(meaningOfImport(row, file, code), parts.slice(length), code)
  }
  const [root = '', ...rest] = parts
  return followMembers(meaningOf(root, file, code), rest, code)
}

function followMembers(meaning: Meaning, names: readonly string[], code: KnownCode): Meaning {
  let at = meaning
  for (const name of names) at = memberOf(at, name, code)
  return at
}

/** Finds a member of a module, a type or an object. */
function memberOf(meaning: Meaning, name: string, code: KnownCode): Meaning {
  if (!meaning || meaning === 'external') return meaning
  if ('module' in meaning) return meaningInModule(meaning.module, name, code)
  const [owner, other] = meaning.symbols.filter(({ kind }) => kind !== 'route')
  if (!owner) return undefined
  // A type split into several parts has the members of all parts.
  if (other && meaning.symbols.some(one => one.qualified_name !== owner.qualified_name)) return 'external'
  for (const one of meaning.symbols) {
    const found = memberOfType(one, name, code, new Set())
    if (found) return { ...found, isSure: found.isSure && meaning.isSure }
  }
  // The type and all its members are known, so the name is defined outside of the project.
  return 'external'
}

type Members = { symbols: readonly NamedSymbol[]; isSure: boolean }

function memberOfType(
  type: NamedSymbol,
  name: string,
  code: KnownCode,
  seen: Set<number>,
): Members | undefined {
  if (seen.has(type.id) || seen.size > maxDepth * 4) return undefined
  seen.add(type.id)
  const inside = code.inSymbol(name, type.id).filter(({ kind }) => kind !== 'route')
  if (inside.length > 0) return { symbols: inside, isSure: true }
  const outside = code.qualified(`${type.qualified_name}.${name}`).filter(one => isOfType(one, type, code))
  if (outside.length > 0) return { symbols: outside, isSure: true }
  for (const above of code.inherited(type.id)) {
    const symbol = above === null ? undefined : code.symbol(above)
    const found = symbol && memberOfType(symbol, name, code, seen)
    if (found) return { ...found, isSure: false }
    // A base type outside of the project may define the name before the next one does.
    if (above === null && code.inherited(type.id).length > 1) continue
  }
  return undefined
}

/**
 * Some languages allow methods outside of their type, in other files; members of scripts are in the same
 * file.
 */
function isOfType(one: NamedSymbol, type: NamedSymbol, code: KnownCode): boolean {
  if (one.parent !== null && one.parent !== type.id && code.symbol(one.parent)?.kind === 'route') return false
  const [mine, its] = [code.file(one.file), code.file(type.file)]
  if (!mine || !its || mine.language?.family !== its.language?.family) return false
  switch (its.language?.family) {
    case 'javascript':
    case 'python':
      return false
    case 'go':
      return mine.folder === its.folder
    default:
      return true
  }
}

/** Finds a member of a surrounding type or its base types. */
function memberOfTypesAround(edge: UnresolvedUse, name: string, code: KnownCode, isSuper = false): Meaning {
  for (const type of typesAround(edge, code)) {
    const seen = new Set<number>()
    const found = isSuper ? inheritedMember(type, name, code, seen) : memberOfType(type, name, code, seen)
    if (found) return found
  }
  return undefined
}

function inheritedMember(
  type: NamedSymbol,
  name: string,
  code: KnownCode,
  seen: Set<number>,
): Members | undefined {
  for (const above of code.inherited(type.id)) {
    const symbol = above === null ? undefined : code.symbol(above)
    const found = symbol && memberOfType(symbol, name, code, seen)
    if (found) return { ...found, isSure: false }
  }
  return undefined
}

function typesAround({ source, file }: UnresolvedUse, code: KnownCode): NamedSymbol[] {
  const around: NamedSymbol[] = []
  let at = source === null ? undefined : code.symbol(source)
  for (let steps = 0; at && steps < maxDepth; steps++) {
    if (types.has(at.kind)) around.push(at)
    if (at.parent === null && at.kind === 'method') {
      // The method is written outside of its type, which is in another file.
      const owner = at.qualified_name.slice(0, -at.name.length - 1)
      const folder = code.file(file)?.folder
      const typed = code.qualified(owner).filter(one => types.has(one.kind))
      const near = typed.filter(one => code.file(one.file)?.folder === folder)
      around.push(...(near.length > 0 ? near : typed))
    }
    at = at.parent === null ? undefined : code.symbol(at.parent)
  }
  return around
}

/** Collects candidates for a call on an unknown type: any method of that name may be the target. */
function guessBinding(edge: UnresolvedUse, file: KnownFile, code: KnownCode): Binding {
  if (edge.kind !== 'call') return unresolved
  const family = file.language?.family
  const methods = code
    .named(edge.name)
    .filter(
      ({ kind, file: of }) =>
        (kind === 'method' || kind === 'function') && code.file(of)?.language?.family === family,
    )
  const members =
    edge.receiver === ''
      ? methods.filter(
          ({ kind, parent, qualified_name, name }) =>
            kind === 'method' || (parent !== null && qualified_name !== name && isMember(parent, code)),
        )
      : methods
  return members.length > 0 ? ambiguous(members) : unresolved
}

function isMember(parent: number, code: KnownCode): boolean {
  return types.has(code.symbol(parent)?.kind ?? '')
}

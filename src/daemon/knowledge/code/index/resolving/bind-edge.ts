import type { NamedSymbol, OpenUse } from '../../../../../store/tables/knowledge/code-lookups.js'
import { type EdgeRow, maxCandidates } from '../../../../../store/tables/knowledge/code-rows.js'
import type { KnownCode, KnownFile } from './known-code.js'
import type { Meaning } from './meaning.js'
import { imported, isNameIn, meaningOf, member } from './names.js'
import { rustPath } from './rust-paths.js'

/** Where an edge leads. */
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
/** Types that a type inherits from are followed so far. */
const maxDepth = 8

/** Finds what an edge leads to among all files. What its own file said of it is not asked again. */
export function bindEdge(edge: OpenUse, file: KnownFile, code: KnownCode): Binding {
  if (edge.receiver === '') return guessed(edge, file, code)
  if (edge.receiver) return ofReceiver(edge, edge.receiver, file, code)
  if (edge.qualifier !== null) return ofQualifier(edge, edge.qualifier, file, code)
  const meaning = nameMeaning(edge, file, code)
  if (meaning) return bound(meaning, edge)
  const inherited = file.language?.hasBareMembers ? ofTypesAround(edge, edge.name, code) : undefined
  if (inherited) return bound(inherited, edge)
  // In these a name may come from anywhere.
  const isOpen = ['cpp', 'ruby', 'php', 'bash'].includes(file.language?.family ?? '')
  return isOpen && edge.kind === 'call' ? guessed(edge, file, code) : unresolved
}

/** A name by itself. One that was imported by another name is written as its own. */
function nameMeaning(edge: OpenUse, file: KnownFile, code: KnownCode): Meaning {
  const renamed = code
    .imports(file.id)
    .find(one => one.name === edge.name && one.local !== one.name && one.local !== '' && isNameIn(one, file))
  if (!renamed) return meaningOf(edge.name, file, code)
  return code.imports(file.id).some(({ local }) => local === edge.name)
    ? undefined
    : imported(renamed, file, code)
}

function bound(meaning: Meaning, { kind }: Pick<OpenUse, 'kind'>, isLikely = false): Binding {
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

/** A member of the type that a variable is declared with. */
function ofReceiver(edge: OpenUse, receiver: string, file: KnownFile, code: KnownCode): Binding {
  const meaning = pathMeaning(receiver.split(/\.|::|\\/u), file, code)
  return bound(memberOf(meaning, edge.name, code), edge, true)
}

function ofQualifier(edge: OpenUse, qualifier: string, file: KnownFile, code: KnownCode): Binding {
  const parts = qualifier.split(/\.|::|->|\\/u).filter(Boolean)
  const [root = ''] = parts
  const isSuper = supers.has(root.replace(/\(.*$/u, ''))
  if (file.language?.self.includes(root) || isSuper)
    return parts.length > 1
      ? guessed(edge, file, code)
      : bound(ofTypesAround(edge, edge.name, code, isSuper), edge)
  if (file.language?.family === 'rust') {
    const meaning = rustPath(`${qualifier}::${edge.name}`, file, code)
    if (meaning) return bound(meaning, edge)
  }
  const owner = pathMeaning(parts, file, code)
  if (owner) return bound(memberOf(owner, edge.name, code), edge)
  const whole = code
    .qualified([...parts, edge.name].join('.'))
    .filter(one => code.file(one.file)?.language?.family === file.language?.family)
  if (
    whole.length > 0 &&
    parts.length > 1 &&
    file.language?.family !== 'javascript' &&
    file.language?.family !== 'python'
  )
    return bound({ symbols: whole, isSure: false }, edge)
  // Every name is declared in these: one that is not is given by the language, or by what runs it.
  const isGiven = ['javascript', 'python', 'go', 'rust'].includes(file.language?.family ?? '')
  return isGiven || /^\p{Lu}/u.test(root) ? unresolved : guessed(edge, file, code)
}

/** What `a.b.c` means: a name of the file, and members of it; or a module that was imported by all of it. */
function pathMeaning(parts: readonly string[], file: KnownFile, code: KnownCode): Meaning {
  const imports = code.imports(file.id)
  for (let length = parts.length; length > 1; length--) {
    const whole = parts.slice(0, length).join('.')
    const row = imports.find(({ local }) => local === whole)
    if (row) return along(imported(row, file, code), parts.slice(length), code)
  }
  const [root = '', ...rest] = parts
  return along(meaningOf(root, file, code), rest, code)
}

function along(meaning: Meaning, names: readonly string[], code: KnownCode): Meaning {
  let at = meaning
  for (const name of names) at = memberOf(at, name, code)
  return at
}

/** What a module, a type or an object has by a name. */
function memberOf(meaning: Meaning, name: string, code: KnownCode): Meaning {
  if (!meaning || meaning === 'external') return meaning
  if ('module' in meaning) return member(meaning.module, name, code)
  const [owner, other] = meaning.symbols.filter(({ kind }) => kind !== 'route')
  if (!owner) return undefined
  // Of types in several parts each has what any of them has.
  if (other && meaning.symbols.some(one => one.qualified_name !== owner.qualified_name)) return 'external'
  for (const one of meaning.symbols) {
    const found = memberOfType(one, name, code, new Set())
    if (found) return { ...found, isSure: found.isSure && meaning.isSure }
  }
  // The type is known, and what it has: the name leads out of the project.
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
    // What is inherited from elsewhere may come before the next one.
    if (above === null && code.inherited(type.id).length > 1) continue
  }
  return undefined
}

/** Methods may be written beside their type, in another file; names of scripts are those of their file. */
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

/** A member of a type that the edge stands in, or that one inherits. */
function ofTypesAround(edge: OpenUse, name: string, code: KnownCode, isSuper = false): Meaning {
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

function typesAround({ source, file }: OpenUse, code: KnownCode): NamedSymbol[] {
  const around: NamedSymbol[] = []
  let at = source === null ? undefined : code.symbol(source)
  for (let steps = 0; at && steps < maxDepth; steps++) {
    if (types.has(at.kind)) around.push(at)
    if (at.parent === null && at.kind === 'method') {
      // A method that is written outside of its type, which stands in another file.
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

/** What is called of a thing of unknown type: any method of that name may be meant, or none. */
function guessed(edge: OpenUse, file: KnownFile, code: KnownCode): Binding {
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

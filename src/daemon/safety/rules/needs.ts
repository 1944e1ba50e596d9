/**
 * Words of which one is in every text that a pattern matches. Searching for words costs a fraction of matching, so a
 * rule looks only at passages that hold a word of each of its groups.
 */
export type WordGroup = readonly string[]

/** What is known of the texts that a part of a pattern matches. */
interface Known {
  /** The texts that they end in, when these are few. */
  ends: readonly string[] | undefined
  /** Whether that is all of each text. */
  isWhole: boolean
  /** Each match holds a word of every one of these groups. */
  groups: readonly WordGroup[]
}

/** Texts that are followed one by one; of more only their words are kept. */
const maxExact = 12
/** A longer group costs more than it saves. */
const maxWords = 96
const shortestWord = 2
/** The beginning of a longer word tells as much, and rules have more beginnings than words in common. */
const longestWord = 7
/** Groups of a rule: more of them find little more. */
const maxGroups = 3
/** A group that most texts pass is used only where there is no other. */
const commonGroup = 0.06
/** What the search of one more word is worth. */
const wordCost = 0.002

/** One character, or several of which the last has no quantifier behind it. */
const letters = /[^\\()[\]{}.*+?^$|](?:[^\\()[\]{}.*+?^$|](?![*+?{]))*/y

/** Round brackets; those inside a class or behind a backslash are letters. */
const brackets = /\\.|\[(?:\\.|[^\]\\])*\]|[()]/g
/** Groups by their source: the same lists of words stand in many rules. */
const readBefore = new Map<string, Known>()

const nothing = exactly([''])
const anything: Known = { ends: undefined, isWhole: false, groups: [] }

/**
 * The groups of words that tell best where a rule can't match, the rarest first. Derived from its patterns, so that no
 * list of words has to be kept beside them.
 *
 * @param patterns for folded text, all of which a match needs; without named groups and back references
 */
export function wordsNeeded(patterns: readonly RegExp[]): WordGroup[] {
  const groups = patterns
    .flatMap(({ source }) => settled(readAlternatives(source, 0).known))
    .toSorted((a, b) => cost(a) - cost(b))
  return groups.filter((group, place) => place === 0 || frequency(group) < commonGroup).slice(0, maxGroups)
}

/** How often a group lets a text pass, roughly: long words are rare. */
function frequency(words: WordGroup): number {
  return words.reduce((sum, word) => sum + 3 ** -word.length, 0)
}

function cost(words: WordGroup): number {
  return frequency(words) + wordCost * words.length
}

/** Reads up to the end of the source or of the group around it. @returns where it stopped */
function readAlternatives(source: string, start: number): { known: Known; end: number } {
  const branches: Known[] = []
  let at = start
  for (;;) {
    const { known, end } = readSequence(source, at)
    branches.push(known)
    if (source[end] !== '|') return { known: either(branches), end }
    at = end + 1
  }
}

function readSequence(source: string, start: number): { known: Known; end: number } {
  let known = nothing
  let at = start
  while (at < source.length && source[at] !== '|' && source[at] !== ')') {
    const part = readPart(source, at)
    const { least, most, end } = readQuantifier(source, part.end)
    known = followed(known, repeated(part.known, least, most))
    at = end
  }
  return { known, end: at }
}

function readPart(source: string, at: number): { known: Known; end: number } {
  const char = source.charAt(at)
  if (char === '(') return readGroup(source, at)
  if (char === '[') return readClass(source, at)
  if (char === '\\') return readEscape(source, at)
  if (char === '^' || char === '$') return { known: nothing, end: at + 1 }
  if (char === '.') return { known: anything, end: at + 1 }
  return readLetters(source, at)
}

/** Characters that stand for themselves, as far as a quantifier is for none but the first. */
function readLetters(source: string, at: number): { known: Known; end: number } {
  letters.lastIndex = at
  const text = letters.exec(source)?.[0] ?? source.charAt(at)
  return { known: exactly([text]), end: at + text.length }
}

/** What is looked at without being taken (ahead, behind) says nothing about the text of the match. */
function readGroup(source: string, at: number): { known: Known; end: number } {
  const end = endOfGroup(source, at)
  const opening = /^\((?:\?(?::|<?[=!]))?/.exec(source.slice(at, at + 4))?.[0] ?? '('
  if (opening !== '(' && opening !== '(?:') return { known: nothing, end }
  const inside = source.slice(at + opening.length, end - 1)
  const known = readBefore.get(inside) ?? readAlternatives(inside, 0).known
  readBefore.set(inside, known)
  return { known, end }
}

function endOfGroup(source: string, at: number): number {
  let depth = 0
  for (const { 0: bracket, index } of source.slice(at).matchAll(brackets)) {
    if (bracket === '(') depth++
    if (bracket === ')' && --depth === 0) return at + index + 1
  }
  return source.length
}

function readClass(source: string, at: number): { known: Known; end: number } {
  let end = at + 1
  while (source[end] !== ']') end += source[end] === '\\' ? 2 : 1
  const members = source.slice(at + 1, end)
  const plain = /^[a-z\d]{1,4}$/.test(members)
  return { known: plain ? exactly([...members]) : anything, end: end + 1 }
}

function readEscape(source: string, at: number): { known: Known; end: number } {
  const char = source.charAt(at + 1)
  if (/[bB]/.test(char)) return { known: nothing, end: at + 2 }
  if (char === 'n') return { known: exactly([' ']), end: at + 2 }
  if (/[a-z\d]/i.test(char)) return { known: anything, end: at + 2 }
  return { known: exactly([char]), end: at + 2 }
}

function readQuantifier(source: string, at: number): { least: number; most: number; end: number } {
  const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(source.slice(at, at + 12))
  if (!found) return { least: 1, most: 1, end: at }
  const [text, low, comma, high] = found
  const end = at + text.length
  if (text[0] === '*') return { least: 0, most: Number.POSITIVE_INFINITY, end }
  if (text[0] === '+') return { least: 1, most: Number.POSITIVE_INFINITY, end }
  if (text[0] === '?') return { least: 0, most: 1, end }
  const least = Number(low)
  return { least, most: comma ? Number(high || Number.POSITIVE_INFINITY) : least, end }
}

function exactly(texts: readonly string[]): Known {
  return { ends: texts, isWhole: true, groups: [] }
}

function repeated(known: Known, least: number, most: number): Known {
  if (least === 1 && most === 1) return known
  if (least > 0) return { ...anything, groups: settled(known) }
  return most === 1 && known.isWhole && known.ends ? exactly(['', ...known.ends]) : anything
}

function followed(before: Known, after: Known): Known {
  const groups = [...before.groups, ...after.groups]
  const mayGrow = before.ends?.some(({ length }) => length < longestWord)
  if (before.ends && after.ends && after.isWhole && mayGrow) {
    const ends = joinedOf(before.ends, after.ends)
    if (ends) return { ends, isWhole: before.isWhole, groups }
  }
  // What stood before is at an end; what follows may go on growing.
  return { ends: after.ends, isWhole: false, groups: [...settled({ ...before, groups: [] }), ...groups] }
}

function joinedOf(before: readonly string[], after: readonly string[]): string[] | undefined {
  if (before.length * after.length > maxExact) return undefined
  return [...new Set(before.flatMap(head => after.map(tail => head + tail)))]
}

function either(branches: readonly Known[]): Known {
  const [only] = branches
  if (only && branches.length === 1) return only
  const texts = branches.flatMap(({ ends }) => ends ?? [])
  if (branches.every(({ isWhole }) => isWhole) && texts.length <= maxExact)
    return exactly([...new Set(texts)])
  const rarest = branches.map(branch => settled(branch).toSorted((a, b) => cost(a) - cost(b))[0])
  if (rarest.some(group => group === undefined)) return anything
  return { ...anything, groups: grouped(rarest.flatMap(group => group ?? [])) }
}

/** The groups of a part that nothing more is added to. */
function settled({ ends, groups }: Known): readonly WordGroup[] {
  return ends ? [...grouped(ends), ...groups] : groups
}

/** One group, or none where a word is too short to be worth a search; a word inside another one stands for both. */
function grouped(texts: readonly string[]): WordGroup[] {
  const words = [...new Set(texts)].sort((a, b) => a.length - b.length)
  if (words.length === 0 || words[0]!.length < shortestWord) return []
  const kept: string[] = []
  for (const word of words) if (!kept.some(shorter => word.includes(shorter))) kept.push(word)
  const beginnings = [...new Set(kept.map(word => word.slice(0, longestWord)))]
  return beginnings.length <= maxWords ? [beginnings] : []
}

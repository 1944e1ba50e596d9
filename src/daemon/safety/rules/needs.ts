/**
 * Words of which every matching text contains at least one. Searching for words is far cheaper than matching,
 * so a rule examines only passages with a word of each of its groups.
 */
export type WordGroup = readonly string[]

/** Known properties of the texts that a part of a pattern matches. */
interface PartWords {
  /** All possible endings of the texts, when there are few. */
  ends: readonly string[] | undefined
  /** True when the endings are the complete texts. */
  isWhole: boolean
  /** Each match contains a word of every group. */
  groups: readonly WordGroup[]
}

/** Limit of texts tracked individually; beyond it only their words are kept. */
const maxExact = 12
/** A longer group costs more than it saves. */
const maxWords = 96
const shortestWord = 2
/** The beginning of a longer word is rare enough, and more rules share it. */
const longestWord = 7
/** Groups per rule: more of them exclude little more. */
const maxGroups = 3
/** A group that most texts contain is used only without an alternative. */
const commonGroup = 0.06
/** Cost of searching one more word. */
const wordCost = 0.002

/** One character, or several when the last one has no quantifier. */
const letters = /[^\\()[\]{}.*+?^$|](?:[^\\()[\]{}.*+?^$|](?![*+?{]))*/y

/** Round brackets; those inside a class or after a backslash are literal. */
const brackets = /\\.|\[(?:\\.|[^\]\\])*\]|[()]/g
/** Cache by source: many rules contain the same word lists. */
const groupCache = new Map<string, PartWords>()

const nothing = exactly([''])
const anything: PartWords = { ends: undefined, isWhole: false, groups: [] }

/**
 * The word groups that exclude a rule most often, rarest first. They are derived from its patterns, so no
 * list must be maintained.
 * @param patterns for folded text, all of which a match needs; without named groups and back references
 */
export function wordsNeeded(patterns: readonly RegExp[]): WordGroup[] {
  const groups = patterns
    .flatMap(({ source }) => allGroups(readAlternatives(source, 0).known))
    .toSorted((a, b) => cost(a) - cost(b))
  return groups.filter((group, place) => place === 0 || frequency(group) < commonGroup).slice(0, maxGroups)
}

/** Estimates how many texts contain a group's word: long words are rare. */
function frequency(words: WordGroup): number {
  return words.reduce((sum, word) => sum + 3 ** -word.length, 0)
}

function cost(words: WordGroup): number {
  return frequency(words) + wordCost * words.length
}

/** Reads to the end of the source or of the enclosing group. @returns the end position */
function readAlternatives(source: string, start: number): { known: PartWords; end: number } {
  const branches: PartWords[] = []
  let at = start
  for (;;) {
    const { known, end } = readSequence(source, at)
    branches.push(known)
    if (source[end] !== '|') return { known: either(branches), end }
    at = end + 1
  }
}

function readSequence(source: string, start: number): { known: PartWords; end: number } {
  let known = nothing
  let at = start
  while (at < source.length && source[at] !== '|' && source[at] !== ')') {
    const part = readPart(source, at)
    const { least, most, end } = readQuantifier(source, part.end)
    known = concatenated(known, repeated(part.known, least, most))
    at = end
  }
  return { known, end: at }
}

function readPart(source: string, at: number): { known: PartWords; end: number } {
  const char = source.charAt(at)
  if (char === '(') return readGroup(source, at)
  if (char === '[') return readClass(source, at)
  if (char === '\\') return readEscape(source, at)
  if (char === '^' || char === '$') return { known: nothing, end: at + 1 }
  if (char === '.') return { known: anything, end: at + 1 }
  return readLetters(source, at)
}

/** Reads literal characters; a quantifier may only follow the first one. */
function readLetters(source: string, at: number): { known: PartWords; end: number } {
  letters.lastIndex = at
  const text = letters.exec(source)?.[0] ?? source.charAt(at)
  return { known: exactly([text]), end: at + text.length }
}

/** Lookahead and lookbehind say nothing about the matched text. */
function readGroup(source: string, at: number): { known: PartWords; end: number } {
  const end = endOfGroup(source, at)
  const opening = /^\((?:\?(?::|<?[=!]))?/.exec(source.slice(at, at + 4))?.[0] ?? '('
  if (opening !== '(' && opening !== '(?:') return { known: nothing, end }
  const inside = source.slice(at + opening.length, end - 1)
  const known = groupCache.get(inside) ?? readAlternatives(inside, 0).known
  groupCache.set(inside, known)
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

function readClass(source: string, at: number): { known: PartWords; end: number } {
  let end = at + 1
  while (source[end] !== ']') end += source[end] === '\\' ? 2 : 1
  const members = source.slice(at + 1, end)
  const plain = /^[a-z\d]{1,4}$/.test(members)
  return { known: plain ? exactly([...members]) : anything, end: end + 1 }
}

function readEscape(source: string, at: number): { known: PartWords; end: number } {
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

function exactly(texts: readonly string[]): PartWords {
  return { ends: texts, isWhole: true, groups: [] }
}

function repeated(known: PartWords, least: number, most: number): PartWords {
  if (least === 1 && most === 1) return known
  if (least > 0) return { ...anything, groups: allGroups(known) }
  return most === 1 && known.isWhole && known.ends ? exactly(['', ...known.ends]) : anything
}

function concatenated(before: PartWords, after: PartWords): PartWords {
  const groups = [...before.groups, ...after.groups]
  const mayGrow = before.ends?.some(({ length }) => length < longestWord)
  if (before.ends && after.ends && after.isWhole && mayGrow) {
    const ends = combinations(before.ends, after.ends)
    if (ends) return { ends, isWhole: before.isWhole, groups }
  }
  // The earlier part is complete; the later one may continue.
  return { ends: after.ends, isWhole: false, groups: [...allGroups({ ...before, groups: [] }), ...groups] }
}

function combinations(before: readonly string[], after: readonly string[]): string[] | undefined {
  if (before.length * after.length > maxExact) return undefined
  return [...new Set(before.flatMap(head => after.map(tail => head + tail)))]
}

function either(branches: readonly PartWords[]): PartWords {
  const [only] = branches
  if (only && branches.length === 1) return only
  const texts = branches.flatMap(({ ends }) => ends ?? [])
  if (branches.every(({ isWhole }) => isWhole) && texts.length <= maxExact)
    return exactly([...new Set(texts)])
  const rarest = branches.map(branch => allGroups(branch).toSorted((a, b) => cost(a) - cost(b))[0])
  if (rarest.some(group => group === undefined)) return anything
  return { ...anything, groups: groupOf(rarest.flatMap(group => group ?? [])) }
}

/** The groups of a part that nothing more follows. */
function allGroups({ ends, groups }: PartWords): readonly WordGroup[] {
  return ends ? [...groupOf(ends), ...groups] : groups
}

/**
 * At most one group, none when a word is too short to be worth a search; a word contained in another replaces
 * it.
 */
function groupOf(texts: readonly string[]): WordGroup[] {
  const words = [...new Set(texts)].sort((a, b) => a.length - b.length)
  if (words.length === 0 || words[0]!.length < shortestWord) return []
  const kept: string[] = []
  for (const word of words) if (!kept.some(shorter => word.includes(shorter))) kept.push(word)
  const beginnings = [...new Set(kept.map(word => word.slice(0, longestWord)))]
  return beginnings.length <= maxWords ? [beginnings] : []
}

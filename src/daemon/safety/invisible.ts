import { isAscii } from '../../lib/text/is-ascii.js'
import type { SafetyStatus } from './rules/rule.js'

/** Counts of invisible characters. They add up over the slices of a text. */
export interface InvisibleTally {
  /** Characters of hidden payloads: tag characters outside flags, runs of variation selectors. */
  payload: number
  /** Zero-width characters between two letters of a script that needs none. */
  insideWords: number
  /** Longest run of zero-width characters, in characters. */
  longestRun: number
  /** Variation selectors after letters, which have no variants. */
  lettersWithVariants: number
  /** Controls that reverse the reading order of left-to-right text. */
  reordered: number
  /** Direction overrides not followed by Latin text. */
  overrides: number
}

// One match per run. Soft hyphens are excluded: text copied from the web is full of them.
const invisibleRanges = [
  String.raw`\u034f`,
  String.raw`[\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\u3164\ufeff\uffa0]`,
  String.raw`[\ufe00-\ufe0f]`,
  String.raw`[\u{e0000}-\u{e007f}]`,
  String.raw`[\u{e0100}-\u{e01ef}]`,
]
const run = new RegExp(`(?:${invisibleRanges.join('|')})+`, 'gu')
const tag = /[\u{e0000}-\u{e007f}]/gu
const variant = /[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/gu
const zeroWidth = /\u034f|[\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2060-\u2064\u3164\ufeff\uffa0]/g
const flag = '\u{1f3f4}'
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u
// Scripts written without joiners; in Arabic, Persian and Indic scripts joiners are part of the spelling.
const plainLetter = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/u
const bidiReach = 100

export function emptyTally(): InvisibleTally {
  return { payload: 0, insideWords: 0, longestRun: 0, lettersWithVariants: 0, reordered: 0, overrides: 0 }
}

/** Adds the counts of one slice, and extracts text spelled in invisible characters. */
export function tallyInvisible(
  text: string,
  before: Readonly<InvisibleTally>,
): { tally: Readonly<InvisibleTally>; hidden: string } {
  if (isAscii(text)) return { tally: before, hidden: '' }
  const tally = { ...before }
  let hidden = ''
  for (const hit of text.matchAll(run)) {
    const end = hit.index + hit[0].length
    const previous = lastChar(text, hit.index)
    const next = end < text.length ? String.fromCodePoint(text.codePointAt(end)!) : ''
    hidden += readPayload(hit[0], previous)
    addPayload(tally, hit[0], previous)
    addZeroWidth(tally, hit[0], previous, next)
    addDirection(tally, hit[0], text, hit.index, end)
  }
  return { tally, hidden }
}

/** The verdict on all counts: a few stray characters from copy and paste are clean (rules.md 1.6). */
export function judgeInvisible(tally: InvisibleTally): SafetyStatus {
  if (tally.payload >= 4 || tally.longestRun >= 16 || tally.reordered > 0) return 'blocked'
  const odd =
    tally.payload > 0 ||
    tally.longestRun >= 4 ||
    tally.insideWords >= 2 ||
    tally.lettersWithVariants >= 8 ||
    tally.overrides > 0
  return odd ? 'tainted' : 'clean'
}

function lastChar(text: string, at: number): string {
  if (at === 0) return ''
  const low = text.charCodeAt(at - 1)
  const start = low >= 0xdc00 && low <= 0xdfff && at > 1 ? at - 2 : at - 1
  return String.fromCodePoint(text.codePointAt(start)!)
}

/** The flags of England, Scotland and Wales are a black flag, a few tag characters and the closing tag. */
function isFlag(invisible: string, previous: string): boolean {
  return previous === flag && /^[\u{e0030}-\u{e007a}]{3,7}\u{e007f}/u.test(invisible)
}

function addPayload(tally: InvisibleTally, invisible: string, previous: string): void {
  const tags = count(invisible, tag)
  if (tags > 0 && !isFlag(invisible, previous)) tally.payload += tags
  const variants = count(invisible, variant)
  if (variants >= 3) tally.payload += variants
  else if (variants > 0 && /\p{L}/u.test(previous) && plainLetter.test(previous)) tally.lettersWithVariants++
}

function addZeroWidth(tally: InvisibleTally, invisible: string, previous: string, next: string): void {
  const characters = count(invisible, zeroWidth)
  if (characters === 0) return
  tally.longestRun = Math.max(tally.longestRun, characters)
  const camelCase = /\p{Ll}/u.test(previous) && /\p{Lu}/u.test(next)
  if (plainLetter.test(previous) && plainLetter.test(next) && !camelCase) tally.insideWords++
}

/**
 * Overrides always reorder. Embeddings and isolates are normal around right-to-left words, so they count only
 * elsewhere.
 */
function addDirection(
  tally: InvisibleTally,
  invisible: string,
  text: string,
  start: number,
  end: number,
): void {
  const after = text.slice(end, end + bidiReach).split(/[\u202c\n]/, 1)[0]!
  if (/[\u202d\u202e]/.test(invisible)) {
    if (/[a-z0-9]{2}/i.test(after)) tally.reordered++
    else tally.overrides++
  } else if (/[\u202b\u2067]/.test(invisible)) {
    const around = text.slice(Math.max(0, start - bidiReach), start) + after
    if (/[a-z]{2}/i.test(after) && !rightToLeft.test(around)) tally.reordered++
  }
}

/** Text spelled in tag characters (shifted ASCII) or in variation selectors (one byte each). */
function readPayload(invisible: string, previous: string): string {
  if (isFlag(invisible, previous)) return ''
  const bytes: number[] = []
  let tags = ''
  for (const char of invisible) {
    const point = char.codePointAt(0)!
    if (point >= 0xe0020 && point <= 0xe007e) tags += String.fromCharCode(point - 0xe0000)
    else if (point >= 0xe0100) bytes.push(point - 0xe0100 + 16)
    else if (point >= 0xfe00 && point <= 0xfe0f) bytes.push(point - 0xfe00)
  }
  return tags + (bytes.length >= 3 ? Buffer.from(bytes).toString('utf8') : '')
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

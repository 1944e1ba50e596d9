import { clip } from '../../../lib/text/clip.js'

/**
 * A part of a session's context: a text that may be shortened, or records that are kept whole or left out.
 */
export interface Section {
  name: string
  /** Lines above the records. */
  heading: string
  text?: string
  records?: readonly string[]
  /** Text below the records; it may name the number of those that are included. */
  footing?: string | ((count: number) => string)
}

/** One or more whole lines of a text, with their origin. */
export interface ContextPiece {
  text: string
  section: string
  /** Position of the record in its section; undefined for headings, footings and texts. */
  record?: number
}

export interface ComposedContext {
  text: string
  /** The text in pieces; between them are only line ends. */
  pieces: ContextPiece[]
  /** Number of included records by section; always the first ones. */
  records: ReadonlyMap<string, number>
  /** Names of included sections, complete or shortened. */
  included: string[]
  truncated: string[]
  omitted: string[]
}

const separator = '\n\n'
/** A shortened text below this length is useless. */
const fewestCharacters = 120

/** Measures a text; parts that are split at line ends must not be smaller than the whole. */
export type SizeOf = (text: string) => number

function characters(text: string): number {
  return text.length
}

/**
 * Joins sections in order within the budget (rules.md 4.12). A record that does not fit ends its section, a
 * text is shortened, and a section without room is left out.
 * @param budget maximum size of the result, in characters unless `sizeOf` says otherwise.
 */
export function composeContext(
  sections: readonly Section[],
  budget: number,
  sizeOf: SizeOf = characters,
): ComposedContext {
  const composed: ComposedContext = {
    text: '',
    pieces: [],
    records: new Map(),
    included: [],
    truncated: [],
    omitted: [],
  }
  const records = composed.records as Map<string, number>
  for (const section of sections) {
    const room = budget - sizeOf(composed.text === '' ? '' : composed.text + separator)
    const { pieces, count } = section.records
      ? withRecords(section, section.records, { room, sizeOf })
      : withText(section, { room, sizeOf })
    const text = pieces.map(piece => piece.text).join('\n')
    composed.pieces.push(...pieces)
    if (section.records) records.set(section.name, count)
    if (text === '') composed.omitted.push(section.name)
    else {
      composed.included.push(section.name)
      composed.text += (composed.text === '' ? '' : separator) + text
    }
    const isWhole = section.records ? count === section.records.length : count === section.text?.length
    if (text !== '' && !isWhole) composed.truncated.push(section.name)
  }
  return composed
}

interface Room {
  room: number
  sizeOf: SizeOf
}

interface FittedSection {
  pieces: ContextPiece[]
  count: number
}

function withRecords(
  { name, heading, footing }: Section,
  records: readonly string[],
  { room, sizeOf }: Room,
): FittedSection {
  const endOf = (count: number): string => (typeof footing === 'function' ? footing(count) : footing) ?? ''
  const sizeOfEnd = (count: number): number => (endOf(count) ? sizeOf(`\n${endOf(count)}`) : 0)
  const left = room - Math.max(sizeOfEnd(records.length), sizeOfEnd(1))
  let size = sizeOf(heading)
  let count = 0
  for (const record of records) {
    size += sizeOf('\n') + sizeOf(record)
    if (size > left) break
    count++
  }
  if (count === 0) return { pieces: [], count }
  const end = endOf(count)
  const pieces = [
    { section: name, text: heading },
    ...records.slice(0, count).map((text, record) => ({ section: name, text, record })),
    ...(end ? [{ section: name, text: end }] : []),
  ]
  return { pieces, count }
}

function withText({ name, heading, text = '' }: Section, { room, sizeOf }: Room): FittedSection {
  const left = room - (heading === '' ? 0 : sizeOf(`${heading}\n`))
  const kept = clipTo(text, left, sizeOf)
  if (kept.length < Math.min(text.length, fewestCharacters)) return { pieces: [], count: 0 }
  const pieces = [heading, kept].filter(Boolean).map(part => ({ section: name, text: part }))
  return { pieces, count: kept === text ? text.length : -1 }
}

/** Cuts a text to the size, at first in proportion. */
function clipTo(text: string, maxSize: number, sizeOf: SizeOf): string {
  let kept = text
  for (let size = sizeOf(kept); size > maxSize; size = sizeOf(kept)) {
    const length = Math.min(kept.length - 1, Math.floor((kept.length * maxSize) / size))
    if (length < 1) return ''
    kept = clip(kept, length)
  }
  return kept
}

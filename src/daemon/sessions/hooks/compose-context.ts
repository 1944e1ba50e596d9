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
  /** Text below the records. */
  footing?: string
}

export interface ComposedContext {
  text: string
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

/**
 * Joins sections in order within the budget (rules.md 4.12). A record that does not fit ends its section, a
 * text is shortened, and a section without room is left out.
 * @param budget maximum characters of the result.
 */
export function composeContext(sections: readonly Section[], budget: number): ComposedContext {
  const composed: ComposedContext = { text: '', records: new Map(), included: [], truncated: [], omitted: [] }
  const records = composed.records as Map<string, number>
  for (const section of sections) {
    const room = budget - composed.text.length - (composed.text === '' ? 0 : separator.length)
    const { text, count } = section.records
      ? withRecords(section, section.records, room)
      : withText(section, room)
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

function withRecords(
  { heading, footing }: Section,
  records: readonly string[],
  room: number,
): { text: string; count: number } {
  const end = footing === undefined ? '' : `\n${footing}`
  let text = heading
  let count = 0
  for (const record of records) {
    if (text.length + 1 + record.length + end.length > room) break
    text += `\n${record}`
    count++
  }
  return count === 0 ? { text: '', count } : { text: text + end, count }
}

function withText({ heading, text = '' }: Section, room: number): { text: string; count: number } {
  const left = room - (heading === '' ? 0 : heading.length + 1)
  if (left < Math.min(text.length, fewestCharacters)) return { text: '', count: 0 }
  const kept = text.length <= left ? text : clip(text, left)
  return { text: heading === '' ? kept : `${heading}\n${kept}`, count: kept === text ? text.length : -1 }
}

import { clip } from '../../../lib/text/clip.js'

/** A part of the context that a session is given: a text that may be shortened, or records that are whole or left out. */
export interface Section {
  name: string
  /** Lines above the records. */
  heading: string
  text?: string
  records?: readonly string[]
  /** Text below the records. */
  footing?: string
}

export interface Composed {
  text: string
  /** Records that went in, by section: always the first ones. */
  records: ReadonlyMap<string, number>
  /** Names of the sections that went in, whole or shortened. */
  included: string[]
  truncated: string[]
  omitted: string[]
}

const separator = '\n\n'
/** A shortened text below this says nothing. */
const fewestCharacters = 120

/**
 * Puts sections together in their order until the budget is used up: a record that does not fit ends its section, a
 * text is shortened, a section without room for anything is left out (rules.md 4.12).
 * @param budget characters of the result at most.
 */
export function composeContext(sections: readonly Section[], budget: number): Composed {
  const composed: Composed = { text: '', records: new Map(), included: [], truncated: [], omitted: [] }
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

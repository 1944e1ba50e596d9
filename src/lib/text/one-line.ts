import { clip } from './clip.js'

/**
 * White space and control characters, but for blanks between words, which most are: no terminal and no reader sees a new
 * line in what is left.
 */
const breaks = /[\s\p{Cc}]{2,}|[^\S ]|\p{Cc}/gu
/** What is drawn as nothing, or turns the reading order around: nothing that a name needs. */
const undrawn = /[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Co}\p{Cn}]+/gu

/** Characters that spell hidden texts, and those that turn the reading order around. */
const hiding = /[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e0fff}]+/gu

/** A text of somebody else's as one line of at most `length` UTF-16 units. */
export function oneLine(text: string, length: number): string {
  return clip(withoutBreaks(text, length), length)
}

/** At least one character more than `length`, or all: of megabytes no more is read than their line needs. */
function withoutBreaks(text: string, length: number): string {
  for (let read = 4 * length + 1000; read < text.length; read *= 4) {
    const line = text.slice(0, read).replace(breaks, ' ').trim()
    if (line.length > length) return line
  }
  return text.replace(breaks, ' ').trim()
}

/** The same for a text that nobody scanned: nothing in it hides a text or turns the reading order around. */
export function unscannedLine(text: string, length: number): string {
  return oneLine(text.replace(hiding, ''), length)
}

/**
 * A name of somebody else's (an author, a project, a session) as a part of a line: short, drawn as it is, and without
 * the brackets that our labels stand in.
 */
export function label(text: string, length = 80): string {
  return oneLine(text.replace(undrawn, ''), length).replaceAll('[', '(').replaceAll(']', ')')
}

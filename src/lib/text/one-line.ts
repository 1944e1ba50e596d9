import { clip } from './clip.js'

/** White space and control characters, except single blanks between words, which are the bulk of any text. */
const breaks = /[\s\p{Cc}]{2,}|[^\S ]|\p{Cc}/gu
/** Invisible characters and those that reverse the reading order; a name needs none of them. */
const undrawn = /[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Co}\p{Cn}]+/gu

/** Characters that encode hidden texts, and those that reverse the reading order. */
const hiding = /[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e0fff}]+/gu

/** Reduces a foreign text to one line of at most `length` UTF-16 units. */
export function oneLine(text: string, length: number): string {
  return clip(withoutBreaks(text, length), length)
}

/**
 * Returns more than `length` characters, or all. Only the part needed for the line is read of a text of
 * megabytes.
 */
function withoutBreaks(text: string, length: number): string {
  for (let read = 4 * length + 1000; read < text.length; read *= 4) {
    const line = text.slice(0, read).replace(breaks, ' ').trim()
    if (line.length > length) return line
  }
  return text.replace(breaks, ' ').trim()
}

/**
 * Like {@link oneLine} for a text that was not scanned: it also removes hidden text and reading order marks.
 */
export function unscannedLine(text: string, length: number): string {
  return oneLine(text.replace(hiding, ''), length)
}

/**
 * Prepares a foreign name (author, project, session) for use within a line: short, visible characters only,
 * and without the square brackets that enclose our own labels.
 */
export function label(text: string, length = 80): string {
  return oneLine(text.replace(undrawn, ''), length).replaceAll('[', '(').replaceAll(']', ')')
}

/** Joins the known parts of a location, outermost first: `Runbook > Deploying > page 3`. */
export function trail(steps: readonly (string | null | undefined)[]): string {
  return steps.filter(Boolean).join(' > ')
}

/** Beginnings and ends of lines whose place matters: code, YAML, tables, lists, commands. */
const structured =
  /^(?:\s{2}|\t|```|~~~|\||[-*+] |\d{1,3}[.)] |#|\$ |[\w.-]{1,80}:(?: |$))|[{};(\\]$|^[\w.]{1,80} ?=/u
/** Keeps a line inside the entry it belongs to. */
const indentation = '    '
/** Control characters, and those that hide text or reverse the reading order. */
const unshown = /[^\P{Cc}\t]|[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e0fff}]/gu

/** Returns true for a text whose lines are more than wrapped prose. */
function isLaidOut(text: string): boolean {
  return text.includes('\n') && text.split(/\r?\n/u).some(line => structured.test(line))
}

/**
 * Returns the lines of code, a table or a list as a block for a model, at most `length` characters of it.
 * @returns undefined for prose, which agents get on one line.
 */
export function blockOf(text: string | undefined, length: number): string | undefined {
  if (text === undefined || !isLaidOut(text)) return undefined
  return clip(text, length)
    .split(/\r?\n/u)
    .map(line => `\n${indentation}${line.replace(unshown, ' ').trimEnd()}`)
    .join('')
}

import { isCommitMessage, isRead } from '../../../ground/reading/commits.js'
import { type Section, sectionsOf } from '../../../ground/reading/layout/sections.js'
import type { Topic } from '../../../ground/reading/layout/topics.js'
import { stepsBelow } from '../../../ground/reading/procedures.js'
import type { ReadingContext } from '../../../ground/reading/reading.js'
import { isShorthand } from '../../../ground/reading/syntax/shorthand.js'

/** Longer texts are documents, logs or programs; a note may be longer than a message. */
const maxLines = { note: 200, message: 40 }
const maxLine = 1500
const maxSentence = 300

/** Openings without content. */
const leadIn =
  /^(?:hi|hello|hey|ok|okay|fyi|btw|well|also|so|yes|no(?=,)|please note(?: that)?|remember(?: that)?|note that)\b[,:.!]?\s+/iu
/** Closing requests without content. */
const leadOut =
  /,?\s(?:and |so |but )?(?:please )?(?:keep (?:that|it|this) in mind|(?:note|remember|mention|write|document|save) (?:that|it|this)(?: down)?|please)[.!]*$/iu
/** A log level in capitals after at most a timestamp: a log line describes a single past event. */
const logLine =
  /^[[(]?[\d\s:.,TZ+\-/\])]*[[(]?(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE|CRITICAL|NOTICE)\b[\])]?(?::?\s|$)/u
/** The name of an exception opens its message. */
const exception = /^[\w.]*(?:Error|Exception|Panic)(?: \w+)?: /u
const fence = /```[\s\S]*?(?:```|$)/gu
const listMark = /^\s*(?:(?:[-*•>]|\d{1,2}[.)])\s+)+(?:\[[ x]\]\s+)?/u
const isCode =
  /[{}|]|=>\s*[({]|;\s*$|^\s*(?:const|let|var|import|export|def|class|SELECT|curl|\$)\s|\s=\s|^\s*(?:npm|git) \w+ -/u

/** A line that may state something, and what the heading above it names. */
export interface StatedLine {
  line: string
  topic: Topic | undefined
  /** The words to quote, if the line is not written so in the text. */
  quote: string | undefined
}

/**
 * Returns the lines of a note with the things that its headings name.
 * @param base what the whole note is about, if its front matter says so
 */
export function linesBelowHeadings(text: string, find: ReadingContext['find'], base?: Topic): StatedLine[] {
  const lines = text.split(/\r?\n/u)
  if (lines.length > maxLines.note) return []
  const sections = isCommitMessage(lines) ? [{ topic: undefined, body: text }] : sectionsOf(text, find, base)
  return sections.flatMap(({ topic, body, quote }: Section) =>
    linesOf(body, maxLines.note).map(line => ({ line, topic, quote })),
  )
}

/**
 * Returns the lines of a text that may state something, word for word, without code and logs. A paragraph
 * that was wrapped is one line, with its line breaks.
 */
export function linesOf(text: string, most = maxLines.message): string[] {
  const lines = text.replace(fence, '\n').split(/\r?\n/u)
  if (lines.length > most) return []
  const isCommit = isCommitMessage(lines)
  const read = isCommit ? lines.filter((line, at) => isRead(line, at)) : unwrapped(lines)
  return read.flatMap(line => {
    const bare = line.replace(listMark, '').trim()
    if ((isCode.test(line) && !isShorthand(bare)) || logLine.test(bare) || exception.test(bare)) return []
    const told = bare.replace(leadIn, '').replace(leadOut, '')
    const isTooLong =
      told.length > maxLine || told.split(/[.!?]\s/u).some(({ length }) => length > maxSentence)
    return told === '' || isTooLong ? [] : [told]
  })
}

const shortestWrapped = 45

/** Joins lines of a paragraph that was broken at a width, and a task with its steps. */
function unwrapped(lines: readonly string[]): string[] {
  const joined: string[] = []
  let last = ''
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const steps = stepsBelow(lines, at)
    if (steps > 0) {
      joined.push(lines.slice(at, at + steps + 1).join('\n'))
      at += steps
      last = ''
      continue
    }
    const isContinued =
      last.length >= shortestWrapped && !/[.:;!?|]\s*$/u.test(last) && /^\s*[\p{Ll}\p{N}`"'(@]/u.test(line)
    if (isContinued && !listMark.test(line)) joined.push(`${joined.pop()}\n${line}`)
    else joined.push(line)
    last = line
  }
  return joined
}

/** How to measure a text, and its maximum size. */
export interface Room {
  sizeOf(text: string): number
  maxSize: number
}

/** A position where a text can end, with the closing tags needed there. */
interface Cut {
  at: number
  closing: string
}

/** Texts of a hook's reply. */
interface ReplyTexts {
  clockContext?: string | undefined
  inject?: string | undefined
}

/**
 * Joins the texts of a reply in the size that the harness accepts. The clock comes first and complete; the
 * rest shares the remaining space, with starting context last.
 */
export function fitReply(room: Room, { clockContext = '', inject = '' }: ReplyTexts, start = ''): string {
  const { sizeOf } = room
  const clock = clockContext.trim()
  const maxSize = room.maxSize - sizeOf(clock) - 2
  const now = fitContext(inject, { sizeOf, maxSize })
  const before = fitContext(start, { sizeOf, maxSize: maxSize - sizeOf(now) - 2 })
  return [clock, before, now].filter(Boolean).join('\n\n')
}

/** Follows the last line that fits. */
export const cutNote = '(Shortened; search memory for more.)'

/**
 * Shortens a text to the size that a harness accepts. It cuts before a section or record, or after a line
 * when even the first is too long. A note marks the cut, and all open tags are closed, so the envelope stays
 * valid.
 * @returns '' when not even the note and the closing tags fit.
 */
export function fitContext(text: string, room: Room): string {
  if (room.sizeOf(text) <= room.maxSize) return text
  const { parts, lines } = cutsOf(text)
  return longest(text, parts, room) ?? longest(text, lines, room) ?? ''
}

/** The longest beginning that fits and contains more than opening tags. */
function longest(text: string, cuts: readonly Cut[], { sizeOf, maxSize }: Room): string | undefined {
  const last = cuts.findLast(({ at, closing }) => {
    // Every character counts at least one, so a longer text can't fit.
    if (at > maxSize) return false
    return sizeOf(ended(text, { at, closing })) <= maxSize
  })
  return last && ended(text, last)
}

function ended(text: string, { at, closing }: Cut): string {
  return `${text.slice(0, at).trimEnd()}\n\n${cutNote}\n${closing}`
}

/** Positions of parts (sections and records) and lines after the first line of content. */
function cutsOf(text: string): { parts: Cut[]; lines: Cut[] } {
  const parts: Cut[] = []
  const lines: Cut[] = []
  const open: string[] = []
  let at = 0
  let hasContent = false
  for (const line of text.split(/(?<=\n)/u)) {
    const cut = { at, closing: [...open].reverse().map(closingTag).join('') }
    if (hasContent) {
      if (/^(?:#{1,6}|-) /u.test(line)) parts.push(cut)
      lines.push(cut)
    }
    const tag = /^<(\/?)([a-z][a-z0-9-]*)(?:\s[^<>]*)?>\s*$/u.exec(line)
    if (tag?.[1] === '') open.push(tag[2] ?? '')
    else if (tag && open.at(-1) === tag[2]) open.pop()
    else if (line.trim() !== '') hasContent = true
    at += line.length
  }
  return { parts, lines }
}

function closingTag(name: string): string {
  return `</${name}>\n`
}

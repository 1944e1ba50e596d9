/** How a text is measured, and the most that may remain of it. */
export interface Room {
  sizeOf(text: string): number
  maxSize: number
}

/** A place where a text can end, with what closes the tags that are open there. */
interface Cut {
  at: number
  closing: string
}

const cutMark = '\n(The rest was left out: search memory for more.)\n'

/**
 * Shortens a text to what a harness takes whole. It ends before a section or a record, or where even the first is too
 * long after a line; the end says so, and every tag that stands open there is closed: the envelope stays whole.
 * @returns '' when not even the mark of the cut and the closing tags fit.
 */
export function fitContext(text: string, room: Room): string {
  if (room.sizeOf(text) <= room.maxSize) return text
  const { parts, lines } = cutsOf(text)
  return longest(text, parts, room) ?? longest(text, lines, room) ?? ''
}

/** The longest beginning that fits; a beginning with nothing but its opening tags is none. */
function longest(text: string, cuts: readonly Cut[], { sizeOf, maxSize }: Room): string | undefined {
  const last = cuts.findLast(({ at, closing }) => {
    // Every character counts at least one, so a text beyond that length cannot fit.
    if (at > maxSize) return false
    return sizeOf(ended(text, { at, closing })) <= maxSize
  })
  return last && ended(text, last)
}

function ended(text: string, { at, closing }: Cut): string {
  return `${text.slice(0, at).trimEnd()}\n${cutMark}${closing}`
}

/** Where parts (sections and records) and lines begin behind the first line of content. */
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

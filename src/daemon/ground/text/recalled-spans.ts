import { tagPattern, withoutCuts, withoutElements } from './tag-spans.js'

/** Elements that hooks add to a session's context, outermost first. */
const injectedElements = [
  'service-memory-context',
  'service-entity-context',
  'service-peer-messages',
  'service-notifications',
]
const injectedTags = injectedElements.map(tagPattern)

/** Our own elements have a version attribute; texts about them rarely do. */
const versioned = /\sversion\s*=/iu

const sectionHeading = /^[ \t>|]*##[ \t]+Relevant Entity Context[ \t]*$/imu
/** Lines of a section: list items, indented lines below them, and empty ones. */
const sectionLine = /^[ \t>|]*(?:$|[-*][ \t]|[ \t]{2,}\S)/u

/** Passes over one text, so that a made-up nesting costs no more than a multiple of its length. */
const maxPasses = 10

/**
 * Removes context that the service itself added to a session, so that recalled text is never captured as new:
 * envelopes and their sections, including escaped or indented ones. A truncated envelope extends to the end.
 * A removed element may have contained the opening of another, so passes repeat until one changes nothing.
 */
export function withoutRecalled(text: string): string {
  let rest = text
  for (let pass = 0; pass < maxPasses; pass++) {
    const left = removeOnce(rest)
    if (left === rest) break
    rest = left
  }
  return rest
}

function removeOnce(text: string): string {
  const plain = injectedTags.reduce(
    (rest, tag) =>
      withoutElements(rest, tag, { nests: false, dropsUnclosed: opening => versioned.test(opening) }),
    text,
  )
  return sectionHeading.test(plain) ? withoutSections(plain) : plain
}

/** Removes entity sections outside of any envelope. */
function withoutSections(text: string): string {
  const cuts: { start: number; end: number }[] = []
  let inside = false
  let start = 0
  for (let from = 0; from < text.length; ) {
    const newline = text.indexOf('\n', from)
    const end = newline < 0 ? text.length : newline + 1
    const line = text.slice(from, newline < 0 ? text.length : newline).replace(/\r$/u, '')
    if (sectionHeading.test(line)) {
      if (!inside) start = from
      inside = true
    } else if (inside && !sectionLine.test(line)) {
      cuts.push({ start, end: from })
      inside = false
    }
    from = end
  }
  if (inside) cuts.push({ start, end: text.length })
  return withoutCuts(text, cuts)
}

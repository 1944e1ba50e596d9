import { tagPattern, withoutCuts, withoutElements } from './tag-spans.js'

/** Elements that hooks put into a session's context, outermost first. */
const injectedElements = [
  'service-memory-context',
  'service-entity-context',
  'service-peer-messages',
  'service-notifications',
]
const injectedTags = injectedElements.map(tagPattern)

/** Our own elements say their version; somebody who writes about them seldom does. */
const versioned = /\sversion\s*=/iu

const sectionHeading = /^[ \t>|]*##[ \t]+Relevant Entity Context[ \t]*$/imu
/** Lines that belong to a section: list items, what is indented below them, and empty ones. */
const sectionLine = /^[ \t>|]*(?:$|[-*][ \t]|[ \t]{2,}\S)/u

/**
 * The text without what the service itself put into the session's context, so that what was recalled is never captured
 * as if it had been said: envelopes and their sections, also escaped or indented. An envelope that was cut off reaches
 * to the end. Linear in the length; a second pass changes nothing.
 */
export function withoutRecalled(text: string): string {
  const plain = injectedTags.reduce(
    (rest, tag) =>
      withoutElements(rest, tag, { nests: false, dropsUnclosed: opening => versioned.test(opening) }),
    text,
  )
  return sectionHeading.test(plain) ? withoutSections(plain) : plain
}

/** An entity section that stood outside any envelope. */
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

/** Words with which people and agents say that something is not done. */
const unfinished =
  /\b(?:to-?dos?|fixme|next steps?|remaining|remains? to|still (?:open|to do|need|needs|failing|fails|missing)|blocked (?:by|on)|not (?:yet )?(?:done|finished|working|implemented|fixed)|not yet|unfinished|unresolved|open questions?|follow[- ]?ups?|pending|left to do|waiting (?:for|on))\b/iu
/** A heading or label says it of the list below it. */
const heading = /^#{1,6}\s|:(?:\*\*)?$|^\*\*[^*]+\*\*$/u
/** Some summaries number their headings, among them those of Claude Code. */
const numberedHeading = /^\d{1,2}[.)]\s[^:]{1,80}:(?:\*\*)?$/u
const listItem = /^\s*(?:[-*+]|\d{1,2}[.)])\s+(?:\[ \]\s+)?/u
const unticked = /^\s*[-*+]\s+\[ \]\s+/u
const done = /^\s*[-*+]\s+\[[xX]\]\s+/u
const sentences = /[^.!?]+[.!?]*\s*/gu
/** The head of a session names what was asked, and what was answered if anything was. */
const asked = /^Asked: (.+)$/mu
const answered = /^Answered: /mu

const maxLines = 5
/** Characters of a node that are read. */
const maxText = 8000

/**
 * What a note says is left to do: a question nobody answered, unticked boxes, items below a heading that says so, and
 * sentences that do.
 */
export function unfinishedIn(text: string): string[] {
  const beginning = text.slice(0, maxText)
  const found: string[] = []
  const question = asked.exec(beginning)?.[1]
  if (question && !answered.test(beginning)) found.push(`unanswered: ${question}`)
  let below = false
  for (const line of beginning.split('\n')) {
    const item = line.replace(listItem, '').trim()
    if (item === '' || done.test(line) || asked.test(line)) continue
    const isItem = listItem.test(line) && !numberedHeading.test(line)
    if (isItem && (below || unticked.test(line))) {
      found.push(item)
      continue
    }
    if (!isItem) below = unfinished.test(item) && heading.test(item)
    if (!below) found.push(...sentencesOf(item).filter(sentence => unfinished.test(sentence)))
  }
  return found.slice(0, maxLines)
}

function sentencesOf(line: string): string[] {
  return (line.match(sentences) ?? []).map(sentence => sentence.replace(/^Answered: /u, '').trim())
}

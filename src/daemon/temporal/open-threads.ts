/** Words with which people and agents say that something is not done. */
const unfinished =
  /\b(?:to-?dos?|fixme|next steps?|remaining|remains? to|still (?:open|to do|need|needs|failing|fails|missing)|blocked (?:by|on)|not (?:yet )?(?:done|finished|working|implemented|fixed)|not yet|unfinished|unresolved|open questions?|follow[- ]?ups?|pending|left to do|waiting (?:for|on))\b/iu
/** A heading or label says it of the list below it. */
const heading = /^#{1,6}\s|:(?:\*\*)?$|^\*\*[^*]+\*\*$/u
const listItem = /^\s*(?:[-*+]|\d{1,2}[.)])\s+(?:\[ \]\s+)?/u
const unticked = /^\s*[-*+]\s+\[ \]\s+/u
const done = /^\s*[-*+]\s+\[[xX]\]\s+/u

const maxLines = 5
/** A node is read this far. */
const maxText = 8000

/** Lines of a note that say what is left to do: unticked boxes, items below a heading that says so, and sentences that do. */
export function unfinishedIn(text: string): string[] {
  const found: string[] = []
  let below = false
  for (const line of text.slice(0, maxText).split('\n')) {
    if (found.length === maxLines) break
    const item = line.replace(listItem, '').trim()
    if (item === '' || done.test(line)) continue
    const isItem = listItem.test(line)
    if (!isItem) below = unfinished.test(item) && heading.test(item)
    if (unticked.test(line) || (isItem && below)) found.push(item)
    else if (!below && unfinished.test(item)) found.push(item)
  }
  return found
}

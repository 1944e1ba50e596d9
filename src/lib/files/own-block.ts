/** First mark of our block in a file for agents; it says how much was put in front of the block. */
export const blockBegin = /^<!-- memory-service:begin (none|line|file) -->$/mu
export const blockEnd = '<!-- memory-service:end -->'

/** Returns a text without the block of `memory mirror block`. */
export function withoutOwnBlock(text: string): string {
  const mark = blockBegin.exec(text)
  const end = mark ? text.indexOf(blockEnd, mark.index) : -1
  return mark && end >= 0 ? text.slice(0, mark.index) + text.slice(end + blockEnd.length) : text
}

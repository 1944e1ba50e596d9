export interface TextRange {
  start: number
  end: number
}

const fence = /^ {0,3}(`{3,}|~{3,})/u

/**
 * Returns the Markdown code of a text in ascending order: fenced blocks, and inline code within one line. A
 * fence without an end is text, so that a lost one hides nothing. Linear in the length.
 */
export function codeRanges(text: string): TextRange[] {
  if (!text.includes('`') && !text.includes('~~~')) return []
  const ranges: TextRange[] = []
  let inline: TextRange[] = []
  let opened: { start: number; mark: string } | undefined
  for (let from = 0; from < text.length; ) {
    const newline = text.indexOf('\n', from)
    const end = newline < 0 ? text.length : newline + 1
    const line = text.slice(from, end)
    const mark = fence.exec(line)?.[1]
    if (opened && mark?.startsWith(opened.mark) && line.trim() === mark) {
      ranges.push({ start: opened.start, end })
      inline = []
      opened = undefined
    } else if (!opened && mark) {
      opened = { start: from, mark }
    } else (opened ? inline : ranges).push(...inlineCode(line, from))
    from = end
  }
  return [...ranges, ...inline]
}

/** Inline code ends with as many backticks as it begins with. */
function inlineCode(line: string, offset: number): TextRange[] {
  const starts: number[] = []
  const lengths: number[] = []
  for (let at = line.indexOf('`'); at >= 0; ) {
    let end = at + 1
    while (line[end] === '`') end++
    starts.push(at)
    lengths.push(end - at)
    at = line.indexOf('`', end)
  }
  const last = new Map(lengths.map((length, run) => [length, run]))
  const ranges: TextRange[] = []
  for (let run = 0; run < starts.length; run++) {
    const length = lengths[run] as number
    if ((last.get(length) ?? 0) <= run) continue
    const start = starts[run] as number
    do run++
    while (lengths[run] !== length)
    ranges.push({ start: offset + start, end: offset + (starts[run] as number) + length })
  }
  return ranges
}

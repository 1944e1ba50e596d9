import { clip } from '../../../lib/clip.js'
import type { Colors } from '../../output.js'

const contextLines = 3
/** What stays as it is need not fill the screen: some settings files hold whole conversations on a line. */
const widestContext = 200
/** Beyond this many pairs of differing lines nothing is searched: all old lines go, all new ones come. */
const mostCells = 4_000_000

/** Control characters could drive the terminal. */
const driving = /[\p{Cc}\u202a-\u202e\u2066-\u2069](?<![\n\t])/gu

interface DiffLine {
  mark: ' ' | '-' | '+'
  text: string
}

/**
 * A unified diff of one file, with three lines around each change; '' when nothing differs.
 * @param path stands in both headings; `/dev/null` takes its place where there is no file.
 */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return ''
  const lines = compare(linesOf(before), linesOf(after))
  const heading = [
    `--- ${before === undefined ? '/dev/null' : path}`,
    `+++ ${after === undefined ? '/dev/null' : path}`,
  ]
  return [...heading, ...hunksOf(lines)].join('\n')
}

/** The diff in colours: what comes green, what goes red, places cyan, headings bold. */
export function paintDiff(diff: string, colors: Colors): string {
  return diff
    .replace(driving, '\uFFFD')
    .split('\n')
    .map(line => {
      if (line.startsWith('--- ') || line.startsWith('+++ ')) return colors.bold(line)
      if (line.startsWith('@@')) return colors.cyan(line)
      if (line.startsWith('+')) return colors.green(line)
      return line.startsWith('-') ? colors.red(line) : clip(line, widestContext)
    })
    .join('\n')
}

/** A missing newline at the end is a line of its own kind, as in every unified diff. */
function linesOf(text: string | undefined): string[] {
  if (text === undefined || text === '') return []
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  if (lines.at(-1) === '') return lines.slice(0, -1)
  return [...lines.slice(0, -1), `${lines.at(-1)}\n\\ No newline at end of file`]
}

function compare(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  const most = Math.min(before.length, after.length) - start
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  const same = (texts: readonly string[]): DiffLine[] => texts.map(text => ({ mark: ' ', text }))
  return [
    ...same(before.slice(0, start)),
    ...compareMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(before.slice(before.length - end)),
  ]
}

/** By the longest common subsequence. */
function compareMiddle(before: readonly string[], after: readonly string[]): DiffLine[] {
  const lengths = before.length * after.length > mostCells ? undefined : commonLengths(before, after)
  const lines: DiffLine[] = []
  let [row, column] = [0, 0]
  while (row < before.length || column < after.length) {
    const down = lengths?.[row + 1]?.[column] ?? 0
    const right = lengths?.[row]?.[column + 1] ?? 0
    if (lengths && row < before.length && before[row] === after[column]) {
      lines.push({ mark: ' ', text: before[row++]! })
      column++
    } else if (row < before.length && (column >= after.length || down >= right)) {
      lines.push({ mark: '-', text: before[row++]! })
    } else lines.push({ mark: '+', text: after[column++]! })
  }
  return lines
}

/** How many lines the rests of both texts have in common, from each pair of lines on. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint32Array[] {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1))
  for (let row = before.length - 1; row >= 0; row--) {
    const [own, next] = [lengths[row]!, lengths[row + 1]!]
    for (let column = after.length - 1; column >= 0; column--) {
      const isSame = before[row] === after[column]
      own[column] = isSame ? next[column + 1]! + 1 : Math.max(next[column]!, own[column + 1]!)
    }
  }
  return lengths
}

function hunksOf(lines: readonly DiffLine[]): string[] {
  const changed = lines.flatMap(({ mark }, position) => (mark === ' ' ? [] : [position]))
  const ranges: { from: number; to: number }[] = []
  for (const position of changed) {
    const last = ranges.at(-1)
    const [from, to] = [
      Math.max(0, position - contextLines),
      Math.min(lines.length, position + contextLines + 1),
    ]
    if (last && from <= last.to) last.to = to
    else ranges.push({ from, to })
  }
  return ranges.flatMap(range => hunkOf(lines, range))
}

function hunkOf(lines: readonly DiffLine[], { from, to }: { from: number; to: number }): string[] {
  const count = (part: readonly DiffLine[], skipped: string) =>
    part.filter(({ mark }) => mark !== skipped).length
  const [ahead, inside] = [lines.slice(0, from), lines.slice(from, to)]
  const place = (skipped: string) => {
    const size = count(inside, skipped)
    return `${count(ahead, skipped) + (size === 0 ? 0 : 1)},${size}`
  }
  return [`@@ -${place('+')} +${place('-')} @@`, ...inside.map(({ mark, text }) => mark + text)]
}

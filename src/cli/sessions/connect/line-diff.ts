import { createTwoFilesPatch, OMIT_HEADERS } from 'diff'
import { clip } from '../../../lib/text/clip.js'
import type { Colors } from '../../terminal/output.js'

const contextLines = 3
/** What stays as it is need not fill the screen: some settings files hold whole conversations on a line. */
const widestContext = 200

/** Beyond so many lines that go or come nothing is compared, which would take seconds: all old ones go, all new ones come. */
const mostEdits = 2000

/** Control characters could drive the terminal. */
const driving = /[\p{Cc}\u202a-\u202e\u2066-\u2069](?<![\n\t])/gu

/**
 * A unified diff of one file, with three lines around each change; '' when nothing differs.
 * @param path stands in both headings; `/dev/null` takes its place where there is no file.
 */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return ''
  const [old, text] = [before ?? '', after ?? '']
  const hunks =
    hunksOf(old, text, mostEdits) ?? [hunksOf(old, ''), hunksOf('', text)].filter(Boolean).join('\n')
  const headings = [
    `--- ${before === undefined ? '/dev/null' : path}`,
    `+++ ${after === undefined ? '/dev/null' : path}`,
  ]
  return [...headings, ...(hunks === '' ? [] : [hunks])].join('\n')
}

/** @param maxEditLength where given, undefined is returned when more lines differ. */
function hunksOf(
  before: string,
  after: string,
  maxEditLength = Number.POSITIVE_INFINITY,
): string | undefined {
  const options = { context: contextLines, stripTrailingCr: true, headerOptions: OMIT_HEADERS, maxEditLength }
  return createTwoFilesPatch('', '', before, after, undefined, undefined, options)?.replace(/\n$/u, '')
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

import { stripVTControlCharacters } from 'node:util'
import pico from 'picocolors'
import { shortId } from '../../lib/text/uuid.js'
import { clipWords, displayWidth, padText, wrapBelow, wrapText } from './text.js'

export type Colors = ReturnType<typeof pico.createColors>

/**
 * Returns the colours of a stream: FORCE_COLOR takes precedence, then NO_COLOR, then whether it is a
 * terminal. picocolors itself would also colour pipes on Windows and in CI, where data must stay clean.
 */
export function colorsFor(stream: { isTTY?: boolean } = process.stdout): Colors {
  const { FORCE_COLOR, NO_COLOR, TERM } = process.env
  if (FORCE_COLOR) return pico.createColors(FORCE_COLOR !== '0')
  return pico.createColors(!NO_COLOR && stream.isTTY === true && TERM !== 'dumb')
}

const linkingPrograms = ['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper']

/**
 * Returns whether the terminal shows links (OSC 8); others may print the sequence. FORCE_HYPERLINK takes
 * precedence. Multiplexers pass it on only if set up for it.
 */
export function showsLinks(
  env: Readonly<Record<string, string | undefined>> = process.env,
  stream: { isTTY?: boolean } = process.stdout,
): boolean {
  if (env.FORCE_HYPERLINK) return env.FORCE_HYPERLINK !== '0'
  if (!stream.isTTY || env.TERM === 'dumb' || env.TMUX || env.STY || env.CI) return false
  return (
    linkingPrograms.includes(env.TERM_PROGRAM ?? '') ||
    Number(env.VTE_VERSION ?? 0) >= 5000 ||
    Boolean(env.WT_SESSION || env.KITTY_WINDOW_ID || env.KONSOLE_VERSION) ||
    ['alacritty', 'foot', 'xterm-kitty', 'xterm-ghostty'].includes(env.TERM ?? '')
  )
}

/** Links a printed text to a web page, where the terminal shows links. */
export function linked(text: string, url: string | null | undefined, shows = showsLinks()): string {
  // Any other scheme could start a program, and a control character could end the sequence.
  if (!shows || !url || !/^https?:\/\/[\x21-\x7e]+$/u.test(url)) return text
  return `\u001b]8;;${url}\u0007${text}\u001b]8;;\u0007`
}

/** Returns the width of the terminal, else `COLUMNS`, else 80; at least 20. Some terminals say 0. */
export function outputWidth(stream: { columns?: number } = process.stdout): number {
  return Math.max(20, stream.columns || Number(process.env.COLUMNS) || 80)
}

/** Writes data to stdout, with one newline at the end. */
export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}

/** Writes notes for a person (progress, hints) to stderr, so that stdout contains only data. */
export function printNote(text: string): void {
  const shown = process.stderr.isTTY ? wrapStyled(text, outputWidth(process.stderr)) : text
  process.stderr.write(shown.endsWith('\n') ? shown : `${shown}\n`)
}

/**
 * Wraps lines at spaces, colours included; long words stay whole.
 * @param hang indent of continuation lines; that of their first line by default.
 */
export function wrapStyled(text: string, width: number, hang?: number): string {
  return text
    .split('\n')
    .flatMap(line => {
      if (shownWidth(line) <= width) return [line]
      const indent = /^ */u.exec(line)?.[0] ?? ''
      const lines: string[] = []
      for (const word of line.slice(indent.length).split(' ')) {
        const last = lines.at(-1)
        if (word === '' && last === undefined) continue
        if (last !== undefined && shownWidth(last) + 1 + shownWidth(word) <= width)
          lines[lines.length - 1] = `${last} ${word}`
        else lines.push((last === undefined || hang === undefined ? indent : ' '.repeat(hang)) + word)
      }
      return lines
    })
    .join('\n')
}

/** Returns the end of an id for a terminal; a pipe receives all of it. */
export function shownId(id: string): string {
  return process.stdout.isTTY ? shortId(id) : id
}

/** Formats JSON for output: two spaces, stable, never coloured. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

/** Returns the width of the terminal; undefined for a pipe, whose lines are not wrapped. */
export function terminalWidth(): number | undefined {
  return process.stdout.isTTY ? outputWidth() : undefined
}

/** Wraps a line for the terminal, with continuation lines indented; a pipe receives it whole. */
export function onTerminal(line: string): string[] {
  const width = terminalWidth()
  return width === undefined ? [line] : wrapBelow(line, width)
}

/**
 * Formats `key value` lines with aligned values. @param columns terminal width at which long values wrap.
 */
export function formatFields(
  fields: ReadonlyArray<readonly [string, string]>,
  colors: Colors,
  columns: number | undefined = terminalWidth(),
): string {
  const width = Math.max(...fields.map(([name]) => displayWidth(name)))
  const wrapped = (value: string) =>
    columns === undefined
      ? value
      : wrapText(value, Math.max(20, columns - width - 2)).join(`\n${' '.repeat(width + 2)}`)
  return fields.map(([name, value]) => `${colors.dim(padText(name, width))}  ${wrapped(value)}`).join('\n')
}

const gap = 2
/** Narrower columns say nothing; a table with many of them is wider than such a terminal. */
const narrowestColumn = 6

/**
 * Formats rows as left-aligned columns below dim headings; the last column is not padded. On a terminal that
 * is too narrow the widest columns are cut.
 */
export function formatTable(
  headings: readonly string[],
  rows: ReadonlyArray<readonly string[]>,
  colors: Colors,
  columns: number | undefined = terminalWidth(),
): string {
  const wanted = headings.map((heading, column) =>
    Math.max(displayWidth(heading), ...rows.map(row => shownWidth(row[column] ?? ''))),
  )
  const widths = columns === undefined ? wanted : fittingWidths(wanted, columns)
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => {
        const width = widths[column] as number
        return column < widths.length - 1 ? fitted(cell, width) : clipped(cell, width)
      })
      .join(' '.repeat(gap))
  return [colors.dim(line(headings)), ...rows.map(line)].join('\n')
}

function shownWidth(cell: string): number {
  return displayWidth(stripVTControlCharacters(cell))
}

/** Cuts a cell; one that is too wide loses its colour. */
function clipped(cell: string, width: number): string {
  return shownWidth(cell) <= width ? cell : clipWords(stripVTControlCharacters(cell), width)
}

function fitted(cell: string, width: number): string {
  const text = clipped(cell, width)
  return text + ' '.repeat(Math.max(0, width - shownWidth(text)))
}

/** Takes the missing columns from the widest cells, but none from the first, which has the id or name. */
function fittingWidths(wanted: readonly number[], columns: number): number[] {
  const widths = [...wanted]
  const rest = columns - gap * (widths.length - 1)
  for (let excess = widths.reduce((sum, width) => sum + width, 0) - rest; excess > 0; excess -= 1) {
    const widest = widths.lastIndexOf(Math.max(...widths.slice(1)))
    if (widest < 1 || (widths[widest] as number) <= narrowestColumn) break
    widths[widest] = (widths[widest] as number) - 1
  }
  return widths
}

const durationUnits = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

/** @returns the largest two units, for example `2 d 3 h`, `5 min 1 s`, `0 s`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const first = durationUnits.findIndex(([, size]) => whole >= size)
  if (first < 0) return '0 s'
  const parts: string[] = []
  let rest = whole
  for (const [unit, size] of durationUnits.slice(first, first + 2)) {
    if (rest >= size) parts.push(`${Math.floor(rest / size)} ${unit}`)
    rest %= size
  }
  return parts.join(' ')
}

const shownLines = 20

/** Shows the end of another program's output, dimmed to separate it from our own messages. */
export function showOutput(output: unknown): void {
  if (typeof output !== 'string' || output.trim() === '') return
  const colors = colorsFor(process.stderr)
  const lines = output.trimEnd().split('\n')
  const cut = lines.length > shownLines ? ['…', ...lines.slice(-shownLines)] : lines
  printNote(cut.map(line => colors.dim(`  ${line}`)).join('\n'))
}

import pico from 'picocolors'
import { displayWidth, padText, wrapBelow, wrapText } from './text.js'

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

/** Returns the width of the terminal, `COLUMNS` if piped, 80 otherwise; at least 20. */
export function outputWidth(stream: { columns?: number } = process.stdout): number {
  return Math.max(20, stream.columns ?? (Number(process.env.COLUMNS) || 80))
}

/** Writes data to stdout, with one newline at the end. */
export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}

/** Writes notes for a person (progress, hints) to stderr, so that stdout contains only data. */
export function printNote(text: string): void {
  process.stderr.write(text.endsWith('\n') ? text : `${text}\n`)
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

/** Formats rows as left-aligned columns below dim headings; the last column is not padded. */
export function formatTable(
  headings: readonly string[],
  rows: ReadonlyArray<readonly string[]>,
  colors: Colors,
): string {
  const widths = headings.map((heading, column) =>
    Math.max(displayWidth(heading), ...rows.map(row => displayWidth(row[column] ?? ''))),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column < widths.length - 1 ? padText(cell, widths[column]!) : cell))
      .join('  ')
  return [colors.dim(line(headings)), ...rows.map(line)].join('\n')
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

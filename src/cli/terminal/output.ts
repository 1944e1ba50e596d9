import pico from 'picocolors'
import { displayWidth, padText, wrapBelow, wrapText } from './text.js'

export type Colors = ReturnType<typeof pico.createColors>

/**
 * Colours for one stream: FORCE_COLOR wins, then NO_COLOR, then whether a person reads it. picocolors' own
 * guess colours pipes on Windows and in CI, where data must stay clean.
 */
export function colorsFor(stream: { isTTY?: boolean } = process.stdout): Colors {
  const { FORCE_COLOR, NO_COLOR, TERM } = process.env
  if (FORCE_COLOR) return pico.createColors(FORCE_COLOR !== '0')
  return pico.createColors(!NO_COLOR && stream.isTTY === true && TERM !== 'dumb')
}

/** Columns of the terminal, `COLUMNS` when piped, 80 otherwise; at least 20. */
export function outputWidth(stream: { columns?: number } = process.stdout): number {
  return Math.max(20, stream.columns ?? (Number(process.env.COLUMNS) || 80))
}

/** Data for the caller: stdout, one newline at the end. */
export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}

/** Notes for a person (progress, hints): stderr, so that stdout stays clean for data. */
export function printNote(text: string): void {
  process.stderr.write(text.endsWith('\n') ? text : `${text}\n`)
}

/** JSON as every command prints it: two spaces, stable, never coloured. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

/** Columns of the terminal that is written to; undefined for a pipe, whose lines are not broken. */
export function terminalWidth(): number | undefined {
  return process.stdout.isTTY ? outputWidth() : undefined
}

/** A line as a terminal shows it: what does not fit stands below it, indented. A pipe gets it whole. */
export function onTerminal(line: string): string[] {
  const width = terminalWidth()
  return width === undefined ? [line] : wrapBelow(line, width)
}

/** `key  value` lines with the values in one column. @param columns of the terminal: longer values wrap below themselves. */
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

/** Rows as left-aligned columns under dim headings; the last column is not padded. */
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

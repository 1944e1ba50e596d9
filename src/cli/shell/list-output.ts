import { Flags } from '@oclif/core'
import { print, shownId } from '../terminal/output.js'
import { plainLine } from '../terminal/text.js'
import { CliError } from './cli-error.js'

/** Flags of every list. */
export const listFlags = {
  quiet: Flags.boolean({ summary: 'Print ids only, one per line.', char: 'q', exclusive: ['format'] }),
  format: Flags.string({
    summary: 'Print items by a template of --json fields, such as "{{.id}} {{.type}}".',
    helpValue: 'TEMPLATE',
  }),
}

/** Words for the order of a list. */
const orders = {
  newest: (a: Dated, b: Dated) => (a.made < b.made ? 1 : -1),
  oldest: (a: Dated, b: Dated) => (a.made < b.made ? -1 : 1),
  changed: (a: Dated, b: Dated) => (a.changed < b.changed ? 1 : -1),
} as const
export type Order = keyof typeof orders

interface Dated {
  /** ISO times. */
  made: string
  changed: string
}

/** Creates the flag for the order of a list; the words are those of `memory list`. */
export function sortFlag(usual: Order, summary: string) {
  return Flags.option({ summary, options: ['newest', 'oldest', 'changed'] as const, default: usual })()
}

/** Orders rows that are all here. @param datesOf when a row was made, and changed last */
export function inOrder<Row>(rows: readonly Row[], order: Order, datesOf: (row: Row) => Dated): Row[] {
  return rows.toSorted((a, b) => orders[order](datesOf(a), datesOf(b)))
}

/** The part of `--json` that all lists have. */
export interface ListPage<Total extends number | null = number | null> {
  /** The listed rows, with names in camel case. */
  items: Record<string, unknown>[]
  /** Number of rows that match; null if it was not counted. */
  total: Total
  /** Offset of the next page; null after the last one. */
  next: number | null
}

/** Describes a page of a list for `--json`. @param more says if rows follow, where no total is known. */
export function listPage<Total extends number | null>(
  rows: readonly object[],
  { total, offset = 0, more }: { total: Total; offset?: number; more?: boolean },
): ListPage<Total> {
  const end = offset + rows.length
  const hasNext = rows.length > 0 && (more ?? (total !== null && end < total))
  return {
    items: rows.map(row => inCamelCase(row) as Record<string, unknown>),
    total,
    next: hasNext ? end : null,
  }
}

/**
 * Prints ids or the filled-in template, if the flags ask for them.
 * @returns false if the list is to be printed as a table. @throws CliError for an unknown field.
 */
export function printItems(
  { items }: ListPage,
  { quiet, format }: { quiet?: boolean | undefined; format?: string | undefined },
  idField = 'id',
): boolean {
  if (!quiet && format === undefined) return false
  const lines = items.map(item =>
    format === undefined ? shownId(String(item[idField])) : filledIn(format, item),
  )
  if (lines.length > 0) print(lines.join('\n'))
  return true
}

const field = /\{\{\s*\.?([\w.]+)\s*\}\}/gu

function filledIn(template: string, item: Record<string, unknown>): string {
  return template
    .replaceAll('\\t', '\t')
    .replaceAll('\\n', '\n')
    .replace(field, (_, path: string) => {
      const value = path
        .split('.')
        .reduce<unknown>((at, name) => (at as Record<string, unknown> | null | undefined)?.[name], item)
      if (value === undefined && !((path.split('.')[0] as string) in item))
        throw unknownField(path, Object.keys(item))
      return textOf(value)
    })
}

function unknownField(name: string, known: readonly string[]): CliError {
  const message = `--format: unknown field "${name}"; fields: ${known.join(', ')}`
  return new CliError(message, { code: 'validation_failed', exit: 'usage' })
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return plainLine(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

/** Returns a value with the names of its objects in camel case. */
function inCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inCamelCase)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replace(/(?<=[a-z0-9])_([a-z0-9])/gu, (_, letter: string) => letter.toUpperCase()),
      inCamelCase(inner),
    ]),
  )
}

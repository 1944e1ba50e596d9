import type { Reply } from '../../contract/api.js'
import { secretProducts, secretProvider } from '../../contract/ground/wire-names.js'
import { maskableLength, shortestSecret } from '../../contract/secrets/name-form.js'
import { formatShortAge } from '../../lib/time/age.js'
import { type Colors, formatTable, printNote } from '../terminal/output.js'
import { padText } from '../terminal/text.js'

/** Actual or planned outcome for one secret. */
interface SecretOutcome {
  name: string
  action: 'create' | 'overwrite' | 'same' | 'differs' | 'invalid'
  done: boolean
  error?: string | undefined
  localDeleted?: boolean
}

const planned: Readonly<Record<SecretOutcome['action'], string>> = {
  create: 'new',
  overwrite: 'replaces the existing value',
  same: 'already stored',
  differs: 'a different value exists and is kept (--overwrite replaces it)',
  invalid: 'skipped',
}

type Details = NonNullable<Reply<'GET /api/secrets'>['details']>

const providerNames = { ...secretProducts, [secretProvider.local]: 'this machine' } as const

/**
 * Formats secrets as a table; `tabs` gives tab-separated fields for pipes: name, provider, set, last used.
 */
export function secretTable(
  details: Details,
  { colors, now, tabs }: { colors: Colors; now: number; tabs: boolean },
): string {
  const when = (at: string | null, none: string): string => {
    if (tabs) return at ?? ''
    return at === null ? none : formatShortAge(at, now)
  }
  const rows = details.map(({ name, provider, updatedAt, lastUsedAt }) => [
    name,
    tabs ? provider : providerNames[provider],
    when(updatedAt, '-'),
    when(lastUsedAt, 'never'),
  ])
  if (tabs) return rows.map(row => row.join('\t')).join('\n')
  return formatTable(['NAME', 'STORED IN', 'SET', 'LAST USED'], rows, colors)
}

/** Formats one line per secret: its name and outcome. */
export function outcomeLines(
  fates: readonly SecretOutcome[],
  { deletesLocal }: { deletesLocal: boolean },
): string[] {
  const width = Math.max(0, ...fates.map(({ name }) => name.length))
  return fates.map(fate => `${padText(fate.name, width)}  ${outcomeText(fate, deletesLocal)}`)
}

function outcomeText({ action, error, localDeleted }: SecretOutcome, deletesLocal: boolean): string {
  if (error !== undefined) return `failed: ${error}`
  const moves = deletesLocal && action !== 'differs' && action !== 'invalid'
  return `${planned[action]}${moves || localDeleted ? ', then deleted here' : ''}`
}

/** Warns about values too short for commands; settings and sources can still use them. */
export function noteShort(entries: readonly { name: string; value: string }[]): void {
  const names = entries.filter(({ value }) => maskableLength(value) < shortestSecret).map(({ name }) => name)
  if (names.length > 0)
    printNote(
      `${names.join(', ')}: shorter than ${shortestSecret} characters. memory secrets exec does not use such short values, because masking them would hide other output.`,
    )
}

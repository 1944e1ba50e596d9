import type { Reply } from '../../contract/api.js'
import { secretProducts, secretProvider } from '../../contract/ground/wire-names.js'
import { shortestSecret, tellableLength } from '../../contract/secrets/name-form.js'
import { formatShortAge } from '../../lib/time/age.js'
import { type Colors, formatTable, printNote } from '../terminal/output.js'
import { padText } from '../terminal/text.js'

/** What became of one secret, or would. */
interface Fate {
  name: string
  action: 'create' | 'overwrite' | 'same' | 'differs' | 'invalid'
  done: boolean
  error?: string | undefined
  localDeleted?: boolean
}

const planned: Readonly<Record<Fate['action'], string>> = {
  create: 'new',
  overwrite: 'replaces the value there',
  same: 'there already',
  differs: 'another value there, stays (--overwrite replaces it)',
  invalid: 'left out',
}

type Details = NonNullable<Reply<'GET /api/secrets'>['details']>

const providerNames = { ...secretProducts, [secretProvider.local]: 'this machine' } as const

/** Secrets as a table; `tabs` gives tab-separated fields for pipes: name, who keeps it, set, used last. */
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
  return formatTable(['NAME', 'KEPT BY', 'SET', 'LAST USED'], rows, colors)
}

/** One line a secret: its name and what happens to it. */
export function fateLines(fates: readonly Fate[], { deletesLocal }: { deletesLocal: boolean }): string[] {
  const width = Math.max(0, ...fates.map(({ name }) => name.length))
  return fates.map(fate => `${padText(fate.name, width)}  ${fateOf(fate, deletesLocal)}`)
}

function fateOf({ action, error, localDeleted }: Fate, deletesLocal: boolean): string {
  if (error !== undefined) return `failed: ${error}`
  const moves = deletesLocal && action !== 'differs' && action !== 'invalid'
  return `${planned[action]}${moves || localDeleted ? ', then deleted here' : ''}`
}

/** Says which of the values no command will get; settings and sources may use them all the same. */
export function noteShort(entries: readonly { name: string; value: string }[]): void {
  const names = entries.filter(({ value }) => tellableLength(value) < shortestSecret).map(({ name }) => name)
  if (names.length > 0)
    printNote(
      `${names.join(', ')}: fewer than ${shortestSecret} characters. memory secrets exec gives no command so short a value: taking it out of the output would mask other text.`,
    )
}

import type { Reply } from '../../contract/api.js'
import { formatShortAge } from '../../lib/time/age.js'
import { type Colors, formatTable } from '../terminal/output.js'

type Details = NonNullable<Reply<'GET /api/secrets'>['details']>

const providerNames = { local: 'this machine', vaulta: 'Bitwarden' } as const

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

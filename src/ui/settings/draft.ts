import { signal } from '@preact/signals'
import type { Reply } from '../../contract/api.js'
import { call } from '../api/call.js'
import { type Loaded, useLoaded } from '../api/loaded.js'
import { useDebounced } from '../parts/use-interval.js'

export type Settings = Reply<'GET /api/settings'>
export type Check = Reply<'POST /api/settings'>
export type SettingField = Settings['fields'][number]

const settleMs = 400

/** The unsaved text. It survives a change of page, and exists only in this tab's memory. */
export const draft = signal<string | undefined>(undefined)

/** Values typed into fields, by key, until the daemon has put them into the text; empty resets a field. */
export const typed = signal<Readonly<Record<string, string>>>({})

export function dropDraft(): void {
  draft.value = undefined
  typed.value = {}
}

/** Checks the edited text with the daemon, which also puts the fields into it; undefined without edits. */
export function useCheck(settings: Settings): Loaded<Check> {
  const [text, values] = [draft.value, typed.value]
  const edits = text === undefined && Object.keys(values).length === 0 ? undefined : { text, values }
  const key = JSON.stringify(edits)
  const settled = useDebounced(key, settleMs)
  const check = useLoaded(
    signal => (settled === undefined ? undefined : checked(settings, JSON.parse(settled), signal)),
    [settled, settings.version],
  )
  return { ...check, isLoading: check.isLoading || settled !== key }
}

interface Edits {
  text?: string
  values: Readonly<Record<string, string>>
}

async function checked(
  { text: saved, version }: Settings,
  { text = saved, values }: Edits,
  signal: AbortSignal,
): Promise<Check> {
  const reply = await call(
    'POST /api/settings',
    { body: { text, version, values, dryRun: true } },
    { signal },
  )
  // A text that is no YAML takes no values, and what was typed meanwhile waits for its own turn.
  const isTaken = !signal.aborted && JSON.stringify(typed.value) === JSON.stringify(values)
  if (isTaken && Object.keys(values).length > 0 && isIn(values, reply)) {
    draft.value = reply.text === saved ? undefined : reply.text
    typed.value = {}
  }
  return reply
}

function isIn(values: Edits['values'], { fields }: Check): boolean {
  return Object.entries(values).every(([key, value]) => {
    const given = fields.find(field => field.key === key)?.given ?? null
    return (value === '') === (given === null)
  })
}

import type { Clock } from './clock.js'
import type { KnownMemory } from './merge.js'
import type { Changing, SyncRecord } from './records.js'

/** The moments at which a text was forgotten, recovered or purged. */
export interface TextMoments {
  key: string
  forgotten: Clock | null
  recovered: Clock | null
  purged: Clock | null
}

/** Everything that is known of a memory as records, which make the same state wherever they are added. */
export function recordsOfMemory(
  id: string,
  { saved, fields, holders, hints, forgotten, recovered }: KnownMemory,
): SyncRecord[] {
  return [
    ...(saved ? [{ kind: 'save' as const, id, clock: saved.clock, saved: saved.value }] : []),
    ...[...fields].map(([field, { clock, value }]) => ({
      ...{ kind: 'set' as const, id, clock, field },
      value: value as Changing[typeof field],
    })),
    ...[...holders.values()].map(({ clock, value }) => ({ kind: 'hold' as const, id, clock, holder: value })),
    ...[...hints.values()].map(({ clock, value }) => ({ kind: 'hint' as const, id, clock, text: value })),
    // Records of the text alone tell the rest: it may have another text now.
    ...(forgotten === undefined ? [] : [{ kind: 'forget' as const, id, clock: forgotten, key: '' }]),
    ...(recovered === undefined ? [] : [{ kind: 'recover' as const, id, clock: recovered, key: '' }]),
  ]
}

/** Everything that is known of a text as records. */
export function recordsOfText({ key, forgotten, recovered, purged }: TextMoments): SyncRecord[] {
  const moments = { forget: forgotten, recover: recovered, purge: purged } as const
  return (['forget', 'recover', 'purge'] as const).flatMap(kind => {
    const clock = moments[kind]
    return clock === null ? [] : [{ kind, id: '', clock, key }]
  })
}

/** A purged memory as a record, without its texts. */
export function recordOfPurge({ id, clock }: { id: string; clock: Clock }): SyncRecord {
  return { kind: 'purge', id, clock, key: '' }
}

import type { InjectedItem } from '../../../contract/sessions/black-box.js'

/** Items per event. */
const maxGiven = 50

/** The event payload for items given to a session: their ids and reasons, never their text. */
export function givenPayload(things: readonly InjectedItem[]): { given?: InjectedItem[] } {
  if (things.length === 0) return {}
  const given = things
    .slice(0, maxGiven)
    .map(thing => (thing.score === undefined ? thing : { ...thing, score: Number(thing.score.toFixed(4)) }))
  return { given }
}

/** The event payload with counts by reason for omitted items; zero counts are dropped. */
export function leftOutPayload(counts: Readonly<Record<string, number>>): {
  leftOut?: Record<string, number>
} {
  const told = Object.entries(counts).filter(([, count]) => count > 0)
  return told.length === 0 ? {} : { leftOut: Object.fromEntries(told) }
}

import type { InjectedItem } from '../../../contract/sessions/black-box.js'

/** Things that one event tells of. */
const maxGiven = 50

/** What a session was given, as its event tells it: nothing of the things but ids, and why. */
export function givenOf(things: readonly InjectedItem[]): { given?: InjectedItem[] } {
  if (things.length === 0) return {}
  const given = things
    .slice(0, maxGiven)
    .map(thing => (thing.score === undefined ? thing : { ...thing, score: Number(thing.score.toFixed(4)) }))
  return { given }
}

/** Reasons for which something was not given, and of how much; those of nothing are not told. */
export function leftOutOf(counts: Readonly<Record<string, number>>): { leftOut?: Record<string, number> } {
  const told = Object.entries(counts).filter(([, count]) => count > 0)
  return told.length === 0 ? {} : { leftOut: Object.fromEntries(told) }
}

import { assessContradiction } from '../../../memory/edit/contradiction.js'

/** A value with its period: from inclusive, until exclusive, ISO 8601; null is open. */
export interface TimedValue {
  value: string
  value_hash: string
  valid_from: string | null
  valid_until: string | null
}

/** True if the period is open or begins before it ends. */
export function isPeriod({
  valid_from,
  valid_until,
}: Pick<TimedValue, 'valid_from' | 'valid_until'>): boolean {
  return valid_from === null || valid_until === null || valid_from < valid_until
}

/**
 * Relation of a new value to an existing one of the slot. `apart`: their periods do not overlap. `same`:
 * equal. `narrows`: equal with a tighter period. The others contradict: `opposed_validity` gives the same
 * value another beginning or end, `contradiction` negates it by the rule for proposals (rules.md 1.5),
 * `different_value` is any other value. A slot has one value at a time, and values of different slots are
 * never compared.
 */
export type Relation = 'apart' | 'same' | 'narrows' | 'opposed_validity' | 'contradiction' | 'different_value'

export function relationOf(held: TimedValue, next: TimedValue): Relation {
  if (!overlaps(held, next)) return 'apart'
  if (held.value_hash !== next.value_hash)
    return assessContradiction(held.value, next.value).contradictionRisk ? 'contradiction' : 'different_value'
  const bounds = ['valid_from', 'valid_until'] as const
  if (bounds.every(bound => next[bound] === null || next[bound] === held[bound])) return 'same'
  return bounds.some(bound => next[bound] !== null && held[bound] !== null && next[bound] !== held[bound])
    ? 'opposed_validity'
    : 'narrows'
}

function overlaps(one: TimedValue, other: TimedValue): boolean {
  return startsBefore(one.valid_from, other.valid_until) && startsBefore(other.valid_from, one.valid_until)
}

function startsBefore(from: string | null, until: string | null): boolean {
  return from === null || until === null || from < until
}

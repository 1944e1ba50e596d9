/**
 * A hybrid clock: milliseconds, a counter and the tag of a device, such as `0192f5a1b2c3-0004-k7qm`. Texts
 * compare as the moments do.
 */
export type Clock = string

/** A device never follows a clock that is further ahead than this. */
export const mostAheadMs = 3_600_000
const millisDigits = 12
const counterDigits = 4
const mostCounted = 16 ** counterDigits - 1

/** The clock of one device. Each of its moments is later than all that it made or accepted before. */
export class HybridClock {
  #millis = 0
  #counter = 0

  constructor(
    /** Distinguishes moments of two devices. */
    readonly tag: string,
    /** The last moment of an earlier run. */
    last?: Clock,
  ) {
    if (last !== undefined) this.accept(last)
  }

  /** A new moment. @param wallMs time of this machine, which may be wrong or go back */
  next(wallMs: number): Clock {
    if (wallMs > this.#millis) {
      this.#millis = wallMs
      this.#counter = 0
    } else if (this.#counter < mostCounted) this.#counter++
    else {
      this.#millis++
      this.#counter = 0
    }
    return clockOf(this.#millis, this.#counter, this.tag)
  }

  /** Makes the next moment later than one that was read and accepted. */
  accept(clock: Clock): void {
    const { millis, counter } = partsOf(clock)
    if (millis < this.#millis || (millis === this.#millis && counter <= this.#counter)) return
    this.#millis = millis
    this.#counter = counter
  }
}

/** True for a moment so far ahead of this machine's time that it waits. */
export function isTooFarAhead(clock: Clock, wallMs: number): boolean {
  return partsOf(clock).millis > wallMs + mostAheadMs
}

/** The moment of something that was written before moments were. */
export function momentAt(millis: number, tag: string): Clock {
  return clockOf(Math.max(0, millis), 0, tag)
}

/** Returns the tag of the device that made a moment. */
export function tagOf(clock: Clock): string {
  return clock.slice(millisDigits + counterDigits + 2)
}

/** @throws Error for a text of another form */
export function partsOf(clock: Clock): { millis: number; counter: number } {
  const [, millis, counter] = /^([0-9a-f]{12})-([0-9a-f]{4})-[0-9a-z]{1,16}$/u.exec(clock) ?? []
  if (millis === undefined || counter === undefined) throw new Error('not a clock')
  return { millis: Number.parseInt(millis, 16), counter: Number.parseInt(counter, 16) }
}

function clockOf(millis: number, counter: number, tag: string): Clock {
  const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')
  return `${hex(millis, millisDigits)}-${hex(counter, counterDigits)}-${tag}`
}

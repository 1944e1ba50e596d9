import { AppError } from '../../../contract/ground/errors.js'
import type { TimelineEvent, TimelineQuery } from '../../../contract/operations/timeline.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/** What a timeline is asked of. */
export interface TimelineSubject {
  caller: Caller
  id: string
  named: TimelineQuery
}

export type TimelineDeps = Pick<Daemon, 'store' | 'blackBoxes' | 'clock'>

/** @returns undefined when there is none of its kind with that id, or the caller may not know of it. */
export type ReadEvents = (
  deps: TimelineDeps,
  subject: TimelineSubject,
) => Promise<TimelineEvent[] | undefined>

/** Moments of one part of a timeline. */
export const maxMoments = 1000

type Moment = readonly [at: string | null | undefined, kind: string, title: string, detail: string]

/** Events of what has come to pass: those without a time have not. */
export function moments(all: readonly Moment[]): TimelineEvent[] {
  return all.flatMap(([at, kind, title, detail]) => (at ? [{ at, kind, title, detail }] : []))
}

/** What is found; undefined where it is not there. */
export async function ifThere<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined
    throw error
  }
}

import { dayMs } from '../../../../lib/time/time.js'
import { retentionDays } from '../../../memory/edit/recover.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { keptByDaemon } from '../../../platform/daemon/kept-by-daemon.js'
import type { Worker } from '../../../platform/jobs/worker.js'
import { policyVersion } from '../../../safety/policy-version.js'
import { type LookUpThread, openLookUps } from './ask-look-up.js'
import { compareIndexes, type IndexState } from './compare-indexes.js'
import type { Survey } from './survey.js'

/** A survey, and how the index stands to it. */
export interface Surveyed extends Survey {
  indexes: IndexState
}

/** The last survey of a daemon, and the thread that takes the next one. */
export interface Surveys extends Pick<LookUpThread, 'ask'> {
  /** The newest; waits for the first. One that is not young any more is followed by another in the background. */
  newest(): Promise<Surveyed>
  /** One that begins after this call. */
  fresh(): Promise<Surveyed>
}

/** A survey is told for so long before another is taken. */
const youngMs = 60_000
const budgetMs = 60_000
const leaseMs = 300_000
/** A sweep that is late by a day has not run. */
const sweepGraceMs = dayMs
const uploadMs = 7 * dayMs
const recentMs = dayMs

const kept = keptByDaemon<Surveys>()

export const surveysOf = kept.of

/** Keeps the surveys of a daemon, and ends their thread with it. */
export function createSurveys(daemon: Daemon): Worker {
  const life = new AbortController()
  const lookUps = openLookUps(daemon)
  const state: { last: Surveyed | undefined; at: number; running: Promise<Surveyed> | undefined } = {
    last: undefined,
    at: 0,
    running: undefined,
  }
  const take = async (): Promise<Surveyed> => {
    const at = performance.now()
    const survey = await lookUps.ask('survey', orderFor(daemon))
    const indexes = await compareIndexes(daemon, lookUps.ask, life.signal)
    state.last = { ...survey, indexes }
    state.at = at
    return state.last
  }
  const begin = (): Promise<Surveyed> => {
    state.running ??= take().finally(() => {
      state.running = undefined
    })
    return state.running
  }
  const inBackground = (): void => {
    begin().catch(error => {
      if (!life.signal.aborted) daemon.log.warn({ err: error }, 'the survey for diagnostics failed')
    })
  }
  kept.keep(daemon, {
    ask: lookUps.ask,
    newest: async () => {
      if (!state.last) return begin()
      if (performance.now() - state.at > youngMs) inBackground()
      return state.last
    },
    fresh: async () => {
      // One that runs already began before what its caller did last.
      await state.running?.catch(() => undefined)
      return begin()
    },
  })
  return {
    start: () => undefined,
    close: async () => {
      life.abort()
      await lookUps.close()
      await state.running?.catch(() => undefined)
    },
  }
}

function orderFor({ clock, paths }: Daemon) {
  const now = clock().getTime()
  const ago = (ms: number): string => new Date(now - ms).toISOString()
  return {
    root: paths.root,
    now: ago(0),
    overdueBefore: ago(retentionDays * dayMs + sweepGraceMs),
    leasedBefore: ago(leaseMs),
    recentSince: ago(recentMs),
    uploadsBefore: ago(uploadMs),
    policy: policyVersion,
    budgetMs,
  }
}

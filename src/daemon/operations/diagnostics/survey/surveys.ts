import { within } from '../../../../lib/concurrency/stop-waiting.js'
import { dayMs } from '../../../../lib/time/time.js'
import { retentionDays } from '../../../memory/edit/recover.js'
import { createDaemonState, type Daemon } from '../../../platform/daemon/daemon.js'
import type { Worker } from '../../../platform/jobs/worker.js'
import { policyVersion } from '../../../safety/verdict-columns.js'
import { type LookUpThread, openLookUps } from './ask-look-up.js'
import { compareIndexes, type IndexState } from './compare-indexes.js'
import type { Survey } from './survey.js'

/** A survey with the state of the indexes. */
export interface SurveyWithIndexes extends Survey {
  indexes: IndexState
}

/** The last survey of a daemon, and the thread that takes the next one. */
export interface Surveys extends Pick<LookUpThread, 'ask'> {
  /** Returns a survey of the last seconds. In a large store the last one is returned while a new one runs. */
  newest(): Promise<SurveyWithIndexes>
  /** Takes a survey that begins after this call. */
  fresh(): Promise<SurveyWithIndexes>
}

/** Age up to which a survey is returned without taking another. */
const youngMs = 5000
/** Time that a caller waits for a new survey before it gets the last one. */
const patienceMs = 2000
const budgetMs = 60_000
const leaseMs = 300_000
/** A tombstone counts as overdue once the daily sweep is a day late. */
const sweepGraceMs = dayMs
const uploadMs = 7 * dayMs
const recentMs = dayMs

const kept = createDaemonState<Surveys>()

export const surveysOf = kept.of

/** Owns the surveys of a daemon and their thread. */
export function createSurveys(daemon: Daemon): Worker {
  const life = new AbortController()
  const lookUps = openLookUps(daemon)
  const state: {
    last: SurveyWithIndexes | undefined
    at: number
    running: Promise<SurveyWithIndexes> | undefined
  } = {
    last: undefined,
    at: 0,
    running: undefined,
  }
  const take = async (): Promise<SurveyWithIndexes> => {
    const at = performance.now()
    const survey = await lookUps.ask('survey', orderFor(daemon))
    const indexes = await compareIndexes(daemon, lookUps.ask, life.signal)
    state.last = { ...survey, indexes }
    state.at = at
    return state.last
  }
  const begin = (): Promise<SurveyWithIndexes> => {
    state.running ??= take().finally(() => {
      state.running = undefined
    })
    return state.running
  }
  kept.keep(daemon, {
    ask: lookUps.ask,
    newest: async () => {
      const { last } = state
      if (last && performance.now() - state.at < youngMs) return last
      const next = begin()
      if (!last) return next
      return within(next, patienceMs, () => new Error('the survey takes longer')).catch((error: unknown) => {
        if (!life.signal.aborted) daemon.log.debug({ err: error }, 'the last diagnostics survey is shown')
        return last
      })
    },
    fresh: async () => {
      // A running survey began before the caller's latest changes.
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

import type { Logger } from 'pino'
import type { PromptCondition } from '../../../contract/platform/plugins.js'
import { within } from '../../../lib/concurrency/within.js'
import type { PromptContribution } from './contributions.js'

/** What plugins depend on, and the registry can't know. */
export interface PluginFacts {
  /** Whether a fact that a contribution waits for is the case now. */
  isMet: (condition: PromptCondition) => Promise<boolean>
  /** By id, for plugins that can tell: what is wrong with them. */
  checks: Readonly<Record<string, () => Promise<string | undefined>>>
  log: Logger
}

/** A session does not wait longer for a fact. */
const conditionWaitMs = 200

/** What is wrong with a plugin; undefined for one that is well, or can't find out. Never rejects. */
export async function healthOf(
  id: string,
  { checks, log }: Pick<PluginFacts, 'checks' | 'log'>,
): Promise<string | undefined> {
  try {
    return await checks[id]?.()
  } catch (error) {
    log.warn({ err: error, plugin: id }, 'the health of a plugin is not known')
    return 'how it is could not be found out; memory daemon logs says why'
  }
}

/** The contributions whose conditions are met. A fact that can't be found out counts as none: a session starts all the same. */
export async function dueNow(
  contributions: readonly PromptContribution[],
  { isMet, log }: Pick<PluginFacts, 'isMet' | 'log'>,
): Promise<PromptContribution[]> {
  const due = await Promise.all(
    contributions.map(async ({ when }) => {
      if (when === undefined) return true
      try {
        return await within(isMet(when), conditionWaitMs, () => new Error('no answer in time'))
      } catch (error) {
        log.warn({ err: error, condition: when }, 'a contribution to the prompt is left out')
        return false
      }
    }),
  )
  return contributions.filter((_, position) => due[position])
}

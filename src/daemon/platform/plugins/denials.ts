import { AppError } from '../../../contract/ground/errors.js'
import type { PluginUse } from '../../../contract/ground/plugin-capabilities.js'
import type { Happened } from './audit-log.js'
import { grantedTo, isRunning, type Plugin, reasonOf, stateOf } from './plugin.js'

/** Who was refused, and by which route of the API. */
export interface Asking {
  actor: string
  /** Method and path as the contract has them: there are not many. */
  route: string
}

/** So long a repeat is counted only; the count is told with the next one. */
const quietMs = 60_000

export interface Denials {
  /** @returns what to write of it; nothing for a repeat within the minute. */
  note(use: PluginUse, asking: Asking, reason: string): Happened | undefined
  /** What was counted and not told yet. */
  rest(): Happened[]
}

interface Told {
  happened: Happened
  at: number
  repeats: number
}

/** Bounds what a client in a loop writes to the audit log: an event a minute for each route that refuses it. */
export function createDenials(clock: () => Date): Denials {
  const told = new Map<string, Told>()
  return {
    note: ({ id, capability }, { actor, route }, reason) => {
      const now = clock().getTime()
      const key = `${id} ${capability} ${route}`
      const before = told.get(key)
      if (before && Math.abs(now - before.at) < quietMs) {
        before.repeats++
        return undefined
      }
      const happened = withRepeats(denial(id, { capability, actor, route, reason }), before)
      told.set(key, { happened, at: now, repeats: 0 })
      return happened
    },
    rest: () =>
      [...told.values()]
        .filter(({ repeats }) => repeats > 0)
        .map(one => withRepeats(denial(one.happened.pluginId, one.happened.data), one)),
  }
}

function denial(pluginId: string, data: Happened['data']): Happened {
  return {
    event: 'plugin.capability_denied',
    pluginId,
    result: 'denied',
    source: 'api',
    ...(data && { data }),
  }
}

function withRepeats(happened: Happened, before: Told | undefined): Happened {
  if (!before?.repeats) return happened
  return { ...happened, data: { ...happened.data, repeatsBefore: before.repeats } }
}

/** Says what is missing and who can mend it; the same for a caller and for the audit log. */
export function denialOf(plugin: Plugin | undefined, { id, capability }: PluginUse): AppError {
  const state = plugin ? stateOf(plugin) : 'disabled'
  const reason = plugin && reasonOf(plugin)
  const message =
    plugin && isRunning(plugin)
      ? `the plugin ${id} lacks the capability ${capability}: memory plugins grant ${id} ${capability}`
      : `the plugin ${id} is ${state}${reason ? ` (${reason})` : ''}: memory plugins enable ${id}`
  const grantedCapabilities = plugin ? grantedTo(plugin) : []
  return new AppError('plugin_capability_denied', message, {
    pluginId: id,
    capability,
    state,
    grantedCapabilities,
  })
}

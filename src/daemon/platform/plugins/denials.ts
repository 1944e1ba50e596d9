import { AppError } from '../../../contract/ground/errors.js'
import type { PluginUse } from '../../../contract/ground/plugin-capabilities.js'
import type { PluginEvent } from './audit-log.js'
import { grantedTo, isRunning, type Plugin, reasonOf, stateOf } from './plugin.js'

/** The caller and the route of a denied request. */
export interface DeniedRequest {
  actor: string
  /** Method and path pattern from the contract, which limits their number. */
  route: string
}

/** Repeats within this time are only counted; the next event reports their number. */
const quietMs = 60_000

export interface Denials {
  /** @returns the event to write; undefined for a repeat within the minute */
  note(use: PluginUse, asking: DeniedRequest, reason: string): PluginEvent | undefined
  /** Events for repeats that are counted but not written yet. */
  rest(): PluginEvent[]
}

interface LastDenial {
  happened: PluginEvent
  at: number
  repeats: number
}

/** Limits the audit events of a looping client to one per minute and route. */
export function createDenials(clock: () => Date): Denials {
  const told = new Map<string, LastDenial>()
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

function denial(pluginId: string, data: PluginEvent['data']): PluginEvent {
  return {
    event: 'plugin.capability_denied',
    pluginId,
    result: 'denied',
    source: 'api',
    ...(data && { data }),
  }
}

function withRepeats(happened: PluginEvent, before: LastDenial | undefined): PluginEvent {
  if (!before?.repeats) return happened
  return { ...happened, data: { ...happened.data, repeatsBefore: before.repeats } }
}

/** Names what is missing and the command that fixes it, for the caller and the audit log. */
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

import type { PluginState, RegistryEntry } from '../../../contract/platform/plugins.js'
import type { Happened } from './audit-log.js'
import { hashOf, type PromptPlan } from './contributions.js'
import { type Plugin, reasonOf, stateOf } from './plugin.js'

const events: Readonly<Record<PluginState, string>> = {
  active: 'plugin.enabled',
  disabled: 'plugin.disabled',
  blocked: 'plugin.blocked',
  degraded: 'plugin.degraded',
}

type Told = RegistryEntry['told']

/** Who or what brought a change about. */
export interface Cause {
  source: string
  data?: Readonly<Record<string, unknown>>
}

/** How a plugin is now, as the audit log is told of it. */
export function toldNow(plugin: Plugin, { contributions }: PromptPlan): Told {
  const own = contributions.filter(({ pluginId }) => pluginId === plugin.id)
  return {
    state: stateOf(plugin),
    contributions: Object.fromEntries(own.map(({ id, content }) => [id, hashOf(content)])),
  }
}

/** What there is to tell of a plugin since the audit log was told last (plugins.md 5). */
export function changesSince(plugin: Plugin, plan: PromptPlan, cause: Cause): Happened[] {
  const before = plugin.entry.told
  const now = toldNow(plugin, plan)
  const happened = (event: string, data: object, result: Happened['result'] = 'ok'): Happened => ({
    event,
    pluginId: plugin.id,
    result,
    source: cause.source,
    data: { ...cause.data, ...data },
  })
  const changes: Happened[] = []
  if (now.state !== before.state) {
    const failed = now.state === 'blocked' || now.state === 'degraded'
    const reason = reasonOf(plugin)
    changes.push(
      happened(
        events[now.state],
        { from: before.state, ...(reason && { reason }) },
        failed ? 'failed' : 'ok',
      ),
    )
  }
  for (const contribution of Object.keys(before.contributions))
    if (now.contributions[contribution] !== before.contributions[contribution]) {
      const reason = plan.leftOut.find(one => one.pluginId === plugin.id && one.id === contribution)?.reason
      changes.push(happened('prompt.contribution_removed', { contribution, ...(reason && { reason }) }))
    }
  for (const { pluginId, id, target, mode, priority, content } of plan.contributions)
    if (pluginId === plugin.id && now.contributions[id] !== before.contributions[id])
      changes.push(
        happened('prompt.contribution_added', {
          contribution: id,
          target,
          mode,
          priority,
          characters: content.length,
        }),
      )
  return changes
}

/** A plugin that nobody had seen before. */
export function discovered(plugin: Plugin, cause: Cause): Happened {
  const { id, bundled, manifest, problems } = plugin
  const reason = reasonOf(plugin)
  return {
    event: 'plugin.discovered',
    pluginId: id,
    result: problems.length > 0 ? 'failed' : 'ok',
    source: cause.source,
    data: { state: stateOf(plugin), bundled, version: manifest?.version ?? '', ...(reason && { reason }) },
  }
}

/** A plugin whose manifest is no longer there. */
export function gone(pluginId: string, entry: RegistryEntry | undefined, { source }: Cause): Happened[] {
  const event = (name: string, data: object): Happened => ({
    event: name,
    pluginId,
    result: 'ok',
    source,
    data: { reason: 'its manifest is no longer there', ...data },
  })
  const contributions = Object.keys(entry?.told.contributions ?? {})
  return [
    event('plugin.disabled', { ...(entry && { from: entry.told.state }) }),
    ...contributions.map(contribution => event('prompt.contribution_removed', { contribution })),
  ]
}

/** A plugin that found itself broken. */
export function healthFailed(pluginId: string, reason: string): Happened {
  return { event: 'plugin.health_failed', pluginId, result: 'failed', source: 'daemon', data: { reason } }
}

/** What an administrator granted or took back; nothing where it is as before. */
export function grantsChanged(plugin: Plugin, after: RegistryEntry, { source, data }: Cause): Happened[] {
  const before = plugin.entry.grantedCapabilities
  const now = after.grantedCapabilities
  const granted = now.filter(one => !before.includes(one))
  const revoked = before.filter(one => !now.includes(one))
  if (granted.length === 0 && revoked.length === 0) return []
  return [
    {
      event: 'plugin.capabilities_changed',
      pluginId: plugin.id,
      result: 'ok',
      source,
      data: { ...data, granted, revoked },
    },
  ]
}

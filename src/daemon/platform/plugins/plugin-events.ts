import type { PluginState, RegistryEntry } from '../../../contract/platform/plugins.js'
import type { PluginEvent } from './audit-log.js'
import { hashOf, type PromptPlan } from './contributions.js'
import { type Plugin, reasonOf, stateOf } from './plugin.js'

const events: Readonly<Record<PluginState, string>> = {
  active: 'plugin.enabled',
  disabled: 'plugin.disabled',
  blocked: 'plugin.blocked',
  degraded: 'plugin.degraded',
}

type AuditedState = RegistryEntry['told']

/** The person or component that caused a change. */
export interface ChangeCause {
  source: string
  data?: Readonly<Record<string, unknown>>
}

/** A plugin's current state, as recorded in the audit log. */
export function auditedState(plugin: Plugin, { contributions }: PromptPlan): AuditedState {
  const own = contributions.filter(({ pluginId }) => pluginId === plugin.id)
  return {
    state: stateOf(plugin),
    contributions: Object.fromEntries(own.map(({ id, content }) => [id, hashOf(content)])),
  }
}

/** Events for a plugin's changes since the last audit entry (plugins.md 5). */
export function changesSince(plugin: Plugin, plan: PromptPlan, cause: ChangeCause): PluginEvent[] {
  const before = plugin.entry.told
  const now = auditedState(plugin, plan)
  const happened = (event: string, data: object, result: PluginEvent['result'] = 'ok'): PluginEvent => ({
    event,
    pluginId: plugin.id,
    result,
    source: cause.source,
    data: { ...cause.data, ...data },
  })
  const changes: PluginEvent[] = []
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

/** Event for a plugin seen for the first time. */
export function discoveredEvent(plugin: Plugin, cause: ChangeCause): PluginEvent {
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

/** Events for a plugin whose manifest is gone. */
export function removedEvents(
  pluginId: string,
  entry: RegistryEntry | undefined,
  { source }: ChangeCause,
): PluginEvent[] {
  const event = (name: string, data: object): PluginEvent => ({
    event: name,
    pluginId,
    result: 'ok',
    source,
    data: { reason: 'its manifest was removed', ...data },
  })
  const contributions = Object.keys(entry?.told.contributions ?? {})
  return [
    event('plugin.disabled', { ...(entry && { from: entry.told.state }) }),
    ...contributions.map(contribution => event('prompt.contribution_removed', { contribution })),
  ]
}

/** Event for a plugin whose health check failed. */
export function healthFailedEvent(pluginId: string, reason: string): PluginEvent {
  return { event: 'plugin.health_failed', pluginId, result: 'failed', source: 'daemon', data: { reason } }
}

/** Event for granted and revoked capabilities; empty without a change. */
export function grantEvents(
  plugin: Plugin,
  after: RegistryEntry,
  { source, data }: ChangeCause,
): PluginEvent[] {
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

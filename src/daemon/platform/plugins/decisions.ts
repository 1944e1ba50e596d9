import { AppError, type ErrorDetail } from '../../../contract/ground/errors.js'
import { disabledAtFirst } from '../../../contract/ground/plugin-capabilities.js'
import type { RegistryEntry } from '../../../contract/platform/plugins.js'
import { quoted } from '../../../lib/text/clip.js'
import {
  type BundledPluginInfo,
  type DescribedPlugin,
  declaredBy,
  isGrantable,
  type Plugin,
} from './plugin.js'

/** An administrator's change to a plugin. */
export interface PluginChange {
  enabled?: boolean | undefined
  grant?: readonly string[] | undefined
  revoke?: readonly string[] | undefined
}

/** Decisions by plugin id. */
export type RegistryEntries = Readonly<Record<string, RegistryEntry>>

/** Adds the initial entry for each new plugin. */
export function addNewEntries(
  entries: RegistryEntries,
  described: readonly DescribedPlugin[],
  now: string,
): RegistryEntries {
  const all = described.map(one => {
    const version = one.manifest?.version ?? ''
    const known = entries[one.id]
    return [one.id, known ? { ...known, version } : newEntry(one, version, now)] as const
  })
  return Object.fromEntries(all)
}

/**
 * A bundled plugin starts with the capabilities its first version declares; any other waits for a decision.
 */
function newEntry(described: DescribedPlugin, version: string, now: string): RegistryEntry {
  const { id, bundled, problems } = described
  const enabled = bundled && !disabledAtFirst.includes(id)
  const state = problems.length > 0 ? 'blocked' : enabled ? 'active' : 'disabled'
  return {
    enabled,
    grantedCapabilities: bundled ? declaredBy(described) : [],
    version,
    discoveredAt: now,
    updatedAt: now,
    told: { state, contributions: {} },
  }
}

/**
 * Entries after the registry file was damaged: earlier decisions are unknown, so every plugin is disabled.
 */
export function entriesAfterLoss(
  bundled: readonly BundledPluginInfo[],
  aside: string,
  now: string,
): RegistryEntries {
  const because = `the plugin registry was damaged and set aside as ${aside}`
  const entries = addNewEntries({}, bundled, now)
  return Object.fromEntries(
    Object.entries(entries).map(([id, entry]) => [id, { ...entry, enabled: false, blockedBecause: because }]),
  )
}

/**
 * A plugin's entry after a decision.
 * @throws AppError `validation_failed` for undeclared or ungrantable capabilities, `conflict` when it can't
 * be enabled
 */
export function applyChange(
  plugin: Plugin,
  { enabled, grant = [], revoke = [] }: PluginChange,
  now: string,
): RegistryEntry {
  assertValidChange(plugin, grant, revoke)
  const { id, entry, problems } = plugin
  if (enabled && problems.length > 0)
    throw new AppError('conflict', `the plugin ${id} can't be enabled: ${problems.join('; ')}`)
  const { blockedBecause, ...rest } = entry
  const granted = [...new Set([...entry.grantedCapabilities, ...grant])]
  return {
    ...rest,
    ...(enabled === undefined && blockedBecause !== undefined && { blockedBecause }),
    enabled: enabled ?? entry.enabled,
    grantedCapabilities: granted.filter(capability => !revoke.includes(capability)),
    updatedAt: now,
  }
}

function assertValidChange(plugin: Plugin, grant: readonly string[], revoke: readonly string[]): void {
  const declared = declaredBy(plugin)
  const faults = (path: string, given: readonly string[], faultOf: (one: string) => string | undefined) =>
    given.flatMap((one, position): ErrorDetail[] => {
      const message = faultOf(one)
      return message === undefined ? [] : [{ path: `${path}.${position}`, message }]
    })
  const known = (one: string): string | undefined =>
    declared.includes(one)
      ? undefined
      : `${plugin.id} does not declare ${quoted(one)}; it declares ${declared.join(', ') || 'nothing'}`
  const details = [
    ...faults('grant', grant, one => {
      if (revoke.includes(one)) return `${quoted(one)} can't be both granted and revoked`
      if (known(one) !== undefined || isGrantable(plugin, one)) return known(one)
      return `${quoted(one)} requires code, which only plugins bundled with memory-service have`
    }),
    ...faults('revoke', revoke, known),
  ]
  if (details[0]) throw new AppError('validation_failed', details[0].message, details)
}

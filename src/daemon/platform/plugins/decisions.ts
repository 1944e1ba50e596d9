import { AppError, type ErrorDetail } from '../../../contract/ground/errors.js'
import { disabledAtFirst } from '../../../contract/ground/plugin-capabilities.js'
import type { RegistryEntry } from '../../../contract/platform/plugins.js'
import { quoted } from '../../../lib/text/clip.js'
import type { Bundled } from './bundled.js'
import { type Described, declaredBy, isGrantable, type Plugin } from './plugin.js'

/** What an administrator decides on a plugin. */
export interface Change {
  enabled?: boolean | undefined
  grant?: readonly string[] | undefined
  revoke?: readonly string[] | undefined
}

/** What was decided, by the id of the plugin. */
export type Entries = Readonly<Record<string, RegistryEntry>>

/** With an entry for each plugin that had none, as it is before anybody decides. */
export function withNew(entries: Entries, described: readonly Described[], now: string): Entries {
  const all = described.map(one => {
    const version = one.manifest?.version ?? ''
    const known = entries[one.id]
    return [one.id, known ? { ...known, version } : newEntry(one, version, now)] as const
  })
  return Object.fromEntries(all)
}

/** A bundled plugin is granted what its first version declares; any other waits for somebody to decide. */
function newEntry(described: Described, version: string, now: string): RegistryEntry {
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

/** What is in force when the file of the registry was broken: nobody knows what had been decided. */
export function entriesAfterLoss(bundled: readonly Bundled[], aside: string, now: string): Entries {
  const because = `the registry of plugins was broken and set aside as ${aside}`
  const entries = withNew({}, bundled, now)
  return Object.fromEntries(
    Object.entries(entries).map(([id, entry]) => [id, { ...entry, enabled: false, blockedBecause: because }]),
  )
}

/**
 * The entry of a plugin after a decision.
 * @throws AppError `validation_failed` for what it does not declare or can't be granted, `conflict` when it can't be
 *   enabled.
 */
export function decided(
  plugin: Plugin,
  { enabled, grant = [], revoke = [] }: Change,
  now: string,
): RegistryEntry {
  assertSensible(plugin, grant, revoke)
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

function assertSensible(plugin: Plugin, grant: readonly string[], revoke: readonly string[]): void {
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
      if (revoke.includes(one)) return `${quoted(one)} is to be granted and revoked at once`
      if (known(one) !== undefined || isGrantable(plugin, one)) return known(one)
      return `${quoted(one)} takes code, which only plugins that come with memory-service have`
    }),
    ...faults('revoke', revoke, known),
  ]
  if (details[0]) throw new AppError('validation_failed', details[0].message, details)
}

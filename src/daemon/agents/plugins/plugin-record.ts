import type { z } from 'zod'
import type { diagnosePlugin, PluginRecord } from '../../../contract/agents/plugins.js'
import { tokensOf } from '../../ground/text/tokens.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import {
  declaredBy,
  grantedTo,
  type Plugin,
  pendingOf,
  reasonOf,
  stateOf,
} from '../../platform/plugins/plugin.js'
import { surfacesOf } from './surfaces.js'

type Deps = Pick<Daemon, 'plugins'>

/** A plugin as the API shows it (plugins.md 2). */
export function recordOf({ plugins }: Deps, plugin: Plugin): PluginRecord {
  const { id, bundled, manifest, entry } = plugin
  return {
    id,
    name: manifest?.name ?? id,
    version: manifest?.version ?? '',
    description: manifest?.description ?? '',
    bundled,
    state: stateOf(plugin),
    reason: reasonOf(plugin) ?? null,
    enabled: entry.enabled,
    declaredCapabilities: declaredBy(plugin),
    grantedCapabilities: grantedTo(plugin),
    pendingCapabilities: pendingOf(plugin),
    surfaces: surfacesOf(plugin, plugins.promptContributions()).active,
    discoveredAt: entry.discoveredAt,
    updatedAt: entry.updatedAt,
  }
}

/** Everything that is known of a plugin; no value of a secret is among it. */
export function diagnosticsOf(deps: Deps, plugin: Plugin): z.input<typeof diagnosePlugin.response> {
  const plan = deps.plugins.promptContributions()
  const { active, planned } = surfacesOf(plugin, plan)
  const { promptContributions: declared = [], surfaces: _surfaces, ...manifest } = plugin.manifest ?? {}
  const leftOut = plan.leftOut.filter(({ pluginId }) => pluginId === plugin.id)
  return {
    plugin: recordOf(deps, plugin),
    manifest: 'id' in manifest ? manifest : null,
    activeSurfaces: active,
    plannedSurfaces: planned,
    promptContributions: plan.contributions.filter(({ pluginId }) => pluginId === plugin.id),
    promptDiagnostics: declared.map(({ id, content }) => {
      const reason = leftOut.find(one => one.id === id)?.reason ?? null
      return { id, included: reason === null, tokens: tokensOf(content), reason }
    }),
    validationErrors: [...plugin.problems],
  }
}

import type { Reply } from '../../contract/api.js'
import { type Colors, formatFields, formatTable } from '../output.js'

type Plugin = Reply<'GET /api/plugins/:id'>
type Diagnostics = Reply<'GET /api/plugins/:id/diagnostics'>
type Event = Reply<'GET /api/plugins/audit'>['events'][number]

/** One line a plugin, and below it what somebody has to decide on. */
export function pluginTable(plugins: readonly Plugin[], colors: Colors): string {
  const rows = plugins.map(plugin => [
    plugin.id,
    stateText(plugin, colors),
    plugin.version || '-',
    `${plugin.grantedCapabilities.length} of ${plugin.declaredCapabilities.length}`,
    plugin.reason ?? plugin.description,
  ])
  const waiting = plugins
    .filter(({ enabled, pendingCapabilities }) => enabled && pendingCapabilities.length > 0)
    .map(
      ({ id, pendingCapabilities }) =>
        `${id} waits for ${pendingCapabilities.join(', ')}: memory plugins grant ${id} --pending`,
    )
  return [
    formatTable(['plugin', 'state', 'version', 'granted', 'what it is'], rows, colors),
    ...waiting,
  ].join('\n')
}

/** A plugin after a change: what it is now, in a line. */
export function changedText({ id, state, reason, pendingCapabilities }: Plugin): string {
  const waiting = pendingCapabilities.length > 0 ? `; not granted: ${pendingCapabilities.join(', ')}` : ''
  return `${id} is ${state}${reason ? `: ${reason}` : ''}${waiting}`
}

export function diagnosticsText(diagnostics: Diagnostics, colors: Colors): string {
  const { plugin, activeSurfaces, plannedSurfaces, promptDiagnostics, validationErrors } = diagnostics
  const fields: [string, string][] = [
    ['plugin', `${plugin.name} (${plugin.id})`],
    ['what', plugin.description],
    ['version', plugin.version],
    ['state', stateText(plugin, colors)],
    ['why', plugin.reason ?? ''],
    ['granted', plugin.grantedCapabilities.join(', ')],
    ['not granted', plugin.pendingCapabilities.join(', ')],
    ...surfaceFields('active', activeSurfaces),
    ...surfaceFields('not active', plannedSurfaces),
    ...promptDiagnostics.map(({ id, tokens, reason }): [string, string] => [
      `prompt ${id}`,
      reason === null ? `told, ${tokens} tokens` : `left out: ${reason}`,
    ]),
    ...validationErrors.map((fault): [string, string] => ['fault', fault]),
  ]
  return formatFields(
    fields.filter(([, value]) => value !== ''),
    colors,
  )
}

/** One line an event, in the order in which they came. */
export function auditTable(events: readonly Event[], colors: Colors): string {
  const rows = events.map(({ timestamp, event, pluginId, result, source, data }) => [
    timestamp,
    pluginId,
    event,
    result,
    source,
    JSON.stringify(data),
  ])
  return formatTable(['when', 'plugin', 'event', 'result', 'by', 'details'], rows, colors)
}

function stateText({ state }: Plugin, colors: Colors): string {
  const paint = { active: colors.green, disabled: colors.dim, blocked: colors.red, degraded: colors.yellow }
  return paint[state](state)
}

function surfaceFields(word: string, surfaces: Diagnostics['activeSurfaces']): [string, string][] {
  return Object.entries(surfaces)
    .filter(([, list]) => list.length > 0)
    .map(([kind, list]) => [`${word} ${kind}`, list.map(({ name }) => name).join(', ')])
}

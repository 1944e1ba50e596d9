import type { Reply } from '../../../contract/api.js'
import { type Colors, formatFields, formatTable } from '../../terminal/output.js'
import { plainLine } from '../../terminal/text.js'
import { describedTable, type ListView } from '../described-table.js'

type Plugin = Reply<'GET /api/plugins/:id'>
type Diagnostics = Reply<'GET /api/plugins/:id/diagnostics'>
type Event = Reply<'GET /api/plugins/audit'>['events'][number]

/** One line a plugin; in a pipe id, state, version, granted of declared capabilities, and reason or description. */
export function pluginTable(plugins: readonly Plugin[], view: ListView): string {
  const rows = plugins.map(plugin => [
    plugin.id,
    plugin.state,
    plugin.version || '-',
    `${plugin.grantedCapabilities.length} of ${plugin.declaredCapabilities.length}`,
    plugin.reason ?? plugin.description,
  ])
  return describedTable(['PLUGIN', 'STATE', 'VERSION', 'GRANTED', 'DESCRIPTION'], rows, view)
}

/** What somebody has to decide on, a line a plugin. */
export function waitingLines(plugins: readonly Plugin[]): string[] {
  return plugins
    .filter(({ enabled, pendingCapabilities }) => enabled && pendingCapabilities.length > 0)
    .map(
      ({ id, pendingCapabilities }) =>
        `${id} waits for ${pendingCapabilities.map(plainLine).join(', ')}: memory plugins grant ${id} --pending`,
    )
}

/** A plugin after a change: what it is now, in a line. */
export function changedText({ id, state, reason, pendingCapabilities }: Plugin): string {
  const waiting = pendingCapabilities.length > 0 ? `; not granted: ${pendingCapabilities.join(', ')}` : ''
  return plainLine(`${id} is ${state}${reason ? `: ${reason}` : ''}${waiting}`)
}

/** One plugin as lines of name and value. @param view `width` columns on a terminal, where long values wrap. */
export function diagnosticsText(diagnostics: Diagnostics, { colors, width }: ListView): string {
  const { plugin, activeSurfaces, plannedSurfaces, promptDiagnostics, validationErrors } = diagnostics
  const fields: [string, string][] = [
    ['plugin', `${plugin.name} (${plugin.id})`],
    ['what', plugin.description],
    ['version', plugin.version],
    ['state', plugin.state],
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
  const told = fields.map(([name, value]): [string, string] => [plainLine(name), plainLine(value)])
  const shown = told.filter(([, value]) => value !== '')
  return formatFields(shown, colors, width)
}

/** One line an event, in the order in which they came; `tabs` gives tab-separated fields for pipes. */
export function auditTable(
  events: readonly Event[],
  { colors, tabs }: { colors: Colors; tabs: boolean },
): string {
  const rows = events.map(({ timestamp, event, pluginId, result, source, data }) =>
    [timestamp, pluginId, event, result, source, JSON.stringify(data)].map(plainLine),
  )
  if (tabs) return rows.map(row => row.join('\t')).join('\n')
  return formatTable(['WHEN', 'PLUGIN', 'EVENT', 'RESULT', 'BY', 'DETAILS'], rows, colors)
}

/** Kinds of surfaces, in words. */
const kindWords: Readonly<Record<string, string>> = {
  daemonRoutes: 'routes',
  cliCommands: 'commands',
  mcpTools: 'tools',
  promptContributions: 'prompts',
}

function surfaceFields(word: string, surfaces: Diagnostics['activeSurfaces']): [string, string][] {
  return Object.entries(surfaces)
    .filter(([, list]) => list.length > 0)
    .map(([kind, list]) => [`${word} ${kindWords[kind] ?? kind}`, list.map(({ name }) => name).join(', ')])
}

import { Args } from '@oclif/core'
import type { Reply, Request } from '../../contract/api.js'
import { labelOf } from '../../lib/text/labels.js'
import { DaemonCommand } from '../shell/daemon-command.js'
import { type Colors, formatFields, formatTable, print } from '../terminal/output.js'
import { plainLine } from '../terminal/text.js'
import { describedTable, type ListView } from './described-table.js'

type Plugin = Reply<'GET /api/plugins/:id'>
type Diagnostics = Reply<'GET /api/plugins/:id/diagnostics'>
type Event = Reply<'GET /api/plugins/audit'>['events'][number]

export const pluginArg = Args.string({
  description: 'Id of the plugin, see memory plugins list.',
  required: true,
  ignoreStdin: true,
})

type Address = 'PATCH /api/plugins/:id'

/** A command that changes a plugin and prints its new state. */
export abstract class PluginChangeCommand extends DaemonCommand {
  protected async change(id: string, body: Request<Address>['body']): Promise<Reply<Address>> {
    const plugin = await this.call('PATCH /api/plugins/:id', { params: { id }, body })
    if (!this.jsonEnabled()) print(changedText(plugin))
    return plugin
  }
}

/**
 * Formats plugins, one per line. In a pipe the fields are id, state, version, granted of declared
 * capabilities, and reason or description.
 */
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

/** Lists the plugins that wait for a decision, one per line. */
export function waitingLines(plugins: readonly Plugin[]): string[] {
  return plugins
    .filter(({ enabled, pendingCapabilities }) => enabled && pendingCapabilities.length > 0)
    .map(
      ({ id, pendingCapabilities }) =>
        `${id} needs your permission for ${pendingCapabilities.map(plainLine).join(', ')}: memory plugins grant ${id} --pending`,
    )
}

/** Describes a plugin after a change in one line. */
function changedText({ id, state, reason, pendingCapabilities }: Plugin): string {
  const waiting = pendingCapabilities.length > 0 ? `; not granted: ${pendingCapabilities.join(', ')}` : ''
  return plainLine(`${id} is ${state}${reason ? `: ${reason}` : ''}${waiting}`)
}

/**
 * Formats one plugin as lines of name and value. @param view `width` is the number of terminal columns; long
 * values wrap there.
 */
export function diagnosticsText(diagnostics: Diagnostics, { colors, width }: ListView): string {
  const { plugin, activeSurfaces, plannedSurfaces, promptDiagnostics, validationErrors } = diagnostics
  const fields: [string, string][] = [
    ['plugin', `${plugin.name} (${plugin.id})`],
    ['description', plugin.description],
    ['version', plugin.version],
    ['state', plugin.state],
    ['reason', plugin.reason ?? ''],
    ['granted', plugin.grantedCapabilities.join(', ')],
    ['not granted', plugin.pendingCapabilities.join(', ')],
    ...surfaceFields('active', activeSurfaces),
    ...surfaceFields('not active', plannedSurfaces),
    ...promptDiagnostics.map(({ id, tokens, reason }): [string, string] => [
      `prompt ${id}`,
      reason === null ? `included, ${tokens} tokens` : `not included: ${reason}`,
    ]),
    ...validationErrors.map((fault): [string, string] => ['error', fault]),
  ]
  const plain = fields.map(([name, value]): [string, string] => [plainLine(name), plainLine(value)])
  const shown = plain.filter(([, value]) => value !== '')
  return formatFields(shown, colors, width)
}

/** Formats events, one per line in order of arrival; `tabs` gives tab-separated fields for pipes. */
export function auditTable(
  events: readonly Event[],
  { colors, tabs }: { colors: Colors; tabs: boolean },
): string {
  const rows = events.map(({ timestamp, event, pluginId, result, source, data }) =>
    [
      timestamp,
      pluginId,
      tabs ? event : labelOf('pluginEvent', event),
      result,
      source,
      JSON.stringify(data),
    ].map(plainLine),
  )
  if (tabs) return rows.map(row => row.join('\t')).join('\n')
  return formatTable(['TIME', 'PLUGIN', 'EVENT', 'RESULT', 'BY', 'DETAILS'], rows, colors)
}

function surfaceFields(word: string, surfaces: Diagnostics['activeSurfaces']): [string, string][] {
  return Object.entries(surfaces)
    .filter(([, list]) => list.length > 0)
    .map(([kind, list]) => [`${word} ${labelOf('surface', kind)}`, list.map(({ name }) => name).join(', ')])
}

import { Args, Flags } from '@oclif/core'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { rowOf } from '../cli/shell/listed-rows.js'
import { type Colors, colorsFor, formatJson, onTerminal, print } from '../cli/terminal/output.js'
import { printLong } from '../cli/terminal/pager.js'
import { plainLine } from '../cli/terminal/text.js'
import type { Reply } from '../contract/api.js'

export default class Timeline extends DaemonCommand {
  static override summary = 'Show the history of a memory, session, entity, source or document.'
  static override description =
    'Oldest first: who changed it and why, which facts were drawn from it, and when it was recalled. Events ' +
    'refer to texts by id and do not contain them. When piped, prints one event per line with tab-separated ' +
    'fields: time, kind, title, detail.'
  static override examples = [
    '<%= config.bin %> timeline 0198c0de-0000-7000-8000-000000000001',
    '<%= config.bin %> timeline 0198c0de-0000-7000-8000-000000000001 --export > timeline.json',
  ]
  static override args = {
    id: rowOf(
      ['memory', 'document', 'source', 'entity', 'session'],
      Args.string({
        description: 'Id of the memory, entity, source or document, or key of the session.',
        required: true,
        ignoreStdin: true,
      }),
    ),
  }
  static override flags = {
    export: Flags.boolean({ summary: 'Print it as JSON with the time of the export.' }),
  }

  async run(): Promise<Reply<'GET /api/timeline/:id'> | Reply<'GET /api/timeline/:id/export'>> {
    const { args, flags } = await this.parse(Timeline)
    const request = { params: { id: args.id } }
    if (flags.export) {
      const snapshot = await this.call('GET /api/timeline/:id/export', request)
      if (!this.jsonEnabled()) print(formatJson(snapshot))
      return snapshot
    }
    const reply = await this.call('GET /api/timeline/:id', request)
    if (!this.jsonEnabled())
      await printLong(timelineText(reply, { colors: colorsFor(), tabs: !process.stdout.isTTY }))
    return reply
  }
}

/** Formats events, one per line; in a pipe time, kind, title and detail. */
function timelineText(
  { events }: Reply<'GET /api/timeline/:id'>,
  { colors, tabs }: { colors: Colors; tabs: boolean },
): string {
  return events
    .flatMap(({ at, kind, title, detail }) =>
      tabs
        ? [[at, kind, plainLine(title), plainLine(detail)].join('\t')]
        : onTerminal(`${colors.dim(at)}  ${colors.bold(plainLine(title))}  ${plainLine(detail)}`.trimEnd()),
    )
    .join('\n')
}

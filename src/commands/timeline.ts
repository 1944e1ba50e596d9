import { Args, Flags } from '@oclif/core'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { type Colors, colorsFor, formatJson, onTerminal, print } from '../cli/terminal/output.js'
import { plainLine } from '../cli/terminal/text.js'
import type { Reply } from '../contract/api.js'

export default class Timeline extends DaemonCommand {
  static override summary = 'Show what happened to a memory, session, entity, source or document.'
  static override description =
    'Oldest first: who changed it and why, what was drawn from it, when it was recalled. Ids lead to what was said; the ' +
    'words themselves are not told. In a pipe: one line an event with tab-separated fields: time, kind, title, detail.'
  static override examples = [
    '<%= config.bin %> timeline 0198c0de-0000-7000-8000-000000000001',
    '<%= config.bin %> timeline 0198c0de-0000-7000-8000-000000000001 --export > timeline.json',
  ]
  static override args = {
    id: Args.string({
      description: 'Id of the thing, key of the session.',
      required: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    export: Flags.boolean({ summary: 'Print it as JSON to be kept, with when it was taken.' }),
  }

  async run(): Promise<Reply<'GET /api/timeline/:id'> | Reply<'GET /api/timeline/:id/export'>> {
    const { args, flags } = await this.parse(Timeline)
    const request = { params: { id: args.id } }
    if (flags.export) {
      const kept = await this.call('GET /api/timeline/:id/export', request)
      if (!this.jsonEnabled()) print(formatJson(kept))
      return kept
    }
    const reply = await this.call('GET /api/timeline/:id', request)
    if (!this.jsonEnabled()) print(timelineText(reply, { colors: colorsFor(), tabs: !process.stdout.isTTY }))
    return reply
  }
}

/** A line an event; in a pipe time, kind, title and detail. */
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

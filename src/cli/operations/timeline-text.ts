import type { Reply } from '../../contract/api.js'
import { type Colors, onTerminal } from '../terminal/output.js'
import { plainLine } from '../terminal/text.js'

/** A line an event; in a pipe time, kind, title and detail. */
export function timelineText(
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

import type { Reply } from '../../contract/api.js'
import type { Colors } from '../terminal/output.js'
import { plainLine } from '../terminal/text.js'

const colorOf = { debug: 'dim', info: 'green', warn: 'yellow', error: 'red' } as const

/** An entry of the log on a line: time, level, category, message. */
export function logEntryText(
  { at, level, category, message }: Reply<'GET /api/logs'>['logs'][number],
  colors: Colors,
): string {
  return `${colors.dim(at)} ${colors[colorOf[level]](level.padEnd(5))} ${colors.cyan(category)} ${plainLine(message)}`
}

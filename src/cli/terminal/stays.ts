import type { StaysAt } from '../../contract/ground/fields.js'
import { staysText } from '../../lib/text/node-states.js'
import { printNote } from './output.js'

/** Says whose things a list shows, when other daemons of a team have their own. */
export function printStays(stays: StaysAt | undefined, things: string): void {
  const text = staysText(stays, things)
  if (text !== undefined) printNote(text)
}

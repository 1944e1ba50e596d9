import type { StaysAt } from '../../contract/ground/fields.js'
import { printNote } from './output.js'

/** Says whose things a list shows, when other daemons of a team have their own. */
export function printStays(stays: StaysAt | undefined, things: string): void {
  if (!stays || stays.others.length === 0) return
  const others = stays.others.map(({ name, url }) => `${name} (${url})`).join(', ')
  printNote(`These are the ${things} of the daemon ${stays.daemon}. Others have their own: ${others}`)
}

import type { SyncStatus } from '../../../../contract/operations/sync.js'
import { countOf } from '../../../../lib/text/count-of.js'
import { oneLine } from '../../../../lib/text/one-line.js'
import { dayMs } from '../../../../lib/time/time.js'
import { mostAheadMs } from '../rules/clock.js'
import { graceMs } from '../rules/upkeep.js'

/** Something that keeps machines from the same memories, and the command against it. */
export type SyncTrouble = SyncStatus['troubles'][number]

/** Everything that a person should do something about. @param now milliseconds since the epoch */
export function troublesOf(
  { state, devices, run }: Pick<SyncStatus, 'state' | 'devices' | 'run'>,
  now: number,
): SyncTrouble[] {
  if (state === 'off') return []
  const troubles: SyncTrouble[] = []
  const add = (text: string, command: string): void =>
    void troubles.push({ text: oneLine(text, 300), command })
  if (state === 'paused') add('sync is paused', 'memory sync resume')
  if (state === 'removed') add('another machine removed this one from the sync', 'memory sync leave')
  else if (run?.problem) add(`sync could not finish: ${run.problem}`, 'memory sync now')
  if (run && run.faults.length > 0)
    add(
      `sync: ${countOf(run.faults.length, 'problem')} with files, the first: ${run.faults[0]}`,
      'memory sync status',
    )
  for (const { name, tag, self, state: belongs, seen } of devices) {
    if (self || belongs !== 'member' || seen === null) continue
    const days = Math.floor((now - Date.parse(seen)) / dayMs)
    if (now - Date.parse(seen) >= graceMs)
      add(`${name} has not synced for ${days} days`, `memory sync revoke ${tag}`)
    if (Date.parse(seen) - now > mostAheadMs)
      add(
        `the clock of ${name} is ahead of this machine's; correct the one that is wrong`,
        'memory sync devices',
      )
  }
  return troubles
}

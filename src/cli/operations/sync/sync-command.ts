import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { Args, Flags } from '@oclif/core'
import type { Reply } from '../../../contract/api.js'
import { countOf } from '../../../lib/text/count-of.js'
import { askAbout } from '../../consent/consent.js'
import { DaemonCommand } from '../../shell/daemon-command.js'
import { type Colors, colorsFor, formatFields, print } from '../../terminal/output.js'
import { plainLine } from '../../terminal/text.js'

export type SyncStatus = Reply<'GET /api/sync'>

/** Covers the first exchange of a large workspace. */
export const syncTimeoutMs = 3_600_000

export const folderArgument = {
  folder: Args.string({
    description:
      'A folder that another program copies to your machines, such as one in Dropbox or Syncthing.',
    required: true,
    ignoreStdin: true,
  }),
}

export const beginFlags = {
  name: Flags.string({ summary: 'Name of this machine (default: its host name).', helpValue: 'NAME' }),
  yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y' }),
}

/** Base of the commands that begin, join or change the sync. */
export abstract class SyncCommand extends DaemonCommand {
  /**
   * Says what goes into the folder, and asks.
   * @returns the folder and the name of this machine. @throws CliError when nobody agrees
   */
  protected async agreedPlace(
    named: string,
    { name = hostname(), yes }: { name?: string | undefined; yes: boolean },
  ): Promise<{ folder: string; name: string }> {
    const folder = resolve(named)
    const json = this.jsonEnabled()
    const nextSteps = ['add --yes to begin without a question']
    await askAbout({ yes, json, nextSteps }, async () => ({
      lines: offerLines(await this.call('GET /api/sync'), folder),
      question: 'Sync these memories?',
    }))
    return { folder, name }
  }

  protected show(status: SyncStatus): SyncStatus {
    if (!this.jsonEnabled()) print(statusText(status, colorsFor()))
    return status
  }
}

function offerLines({ offered }: SyncStatus, folder: string): string[] {
  const { memories, agents } = offered
  return [
    `These go to ${plainLine(folder)}, encrypted so that only your own machines can read them:`,
    `  ${countOf(memories, 'memory', 'memories')} with their history, hints and holders`,
    `  the read policies of ${countOf(agents, 'agent')}`,
    'Never: secrets, sessions and transcripts, documents, skills, settings.',
  ]
}

const states: Readonly<Record<SyncStatus['state'], string>> = {
  off: 'off. Begin: memory sync init FOLDER',
  joining: 'waits to be let in: memory sync approve CODE on a machine that belongs',
  on: 'on',
  paused: 'paused. Resume: memory sync resume',
  removed: 'another machine removed this one. Leave: memory sync leave',
}

/** Formats the state of the sync for people. */
export function statusText(status: SyncStatus, colors: Colors): string {
  const { state, folder, waiting, run, devices } = status
  if (state === 'off') return states.off
  const fields = formatFields(
    [
      ['sync', states[state]],
      ['folder', plainLine(folder ?? '')],
      ['machines', String(devices.filter(one => one.state === 'member' && !one.self).length + 1)],
      ['to send', `${countOf(waiting.records, 'change')}, ${countOf(waiting.segmentsToSend, 'file')}`],
      ['to read', countOf(waiting.segmentsToRead, 'file')],
      ...(waiting.requests > 0 ? [['asking to join', String(waiting.requests)] as const] : []),
      ...(run ? [['last exchange', run.running ? 'running' : run.at] as const] : []),
      ...(run?.problem ? [['problem', colors.red(plainLine(run.problem))] as const] : []),
    ],
    colors,
  )
  const faults = (run?.faults ?? []).slice(0, 10).map(fault => `  ${plainLine(fault)}`)
  return [fields, ...faults].join('\n')
}

/** Formats the machines for people. */
export function deviceLines({ devices }: SyncStatus): string[] {
  return devices.map(({ tag, name, self, state, read }) => {
    const what = self ? 'this machine' : state === 'removed' ? 'removed' : readText(read)
    return `${tag}  ${plainLine(name)}  ${what}`
  })
}

function readText(read: number | null): string {
  return read === null ? 'nothing read yet' : `read up to its file ${read}`
}

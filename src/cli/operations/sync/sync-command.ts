import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Args, Flags } from '@oclif/core'
import { call } from '../../../client/call.js'
import type { Reply } from '../../../contract/api.js'
import {
  AddressFault,
  credentialsFor,
  isNetworkAddress,
  readPlaceAddress,
} from '../../../lib/network/place-address.js'
import { countOf, formatBytes } from '../../../lib/text/count-of.js'
import { askAbout } from '../../consent/consent.js'
import { readHidden } from '../../secrets/read-hidden.js'
import { CliError } from '../../shell/cli-error.js'
import { DaemonCommand } from '../../shell/daemon-command.js'
import { type Colors, colorsFor, formatFields, print } from '../../terminal/output.js'
import { startSpinner } from '../../terminal/progress.js'
import { plainLine } from '../../terminal/text.js'

export type SyncStatus = Reply<'GET /api/sync'>

/** Covers the first exchange of a large workspace. */
export const syncTimeoutMs = 3_600_000

export const addressArgument = {
  address: Args.string({
    description:
      'A folder that another program copies to your machines, or git+ssh://, git+https://, s3://, webdavs:// ' +
      'or memory-relay: with its address.',
    required: true,
    ignoreStdin: true,
  }),
}

export const beginFlags = {
  name: Flags.string({ summary: 'Name of this machine (default: its host name).', helpValue: 'NAME' }),
  credentials: Flags.string({
    summary: 'Name of the secret that opens the place (memory secrets set); asked for without it.',
    helpValue: 'NAME',
  }),
  yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y' }),
}

type BeginFlags = { name?: string | undefined; credentials?: string | undefined; yes: boolean }

/** The secret that has the credentials that were asked for. */
const askedSecret = 'SYNC_CREDENTIALS'
const progressEveryMs = 1000

/** Base of the commands that begin, join or change the sync. */
export abstract class SyncCommand extends DaemonCommand {
  /**
   * Says what goes there, and asks; then asks for the credentials that no secret has.
   * @returns the place and the name of this machine. @throws CliError when nobody agrees
   */
  protected async agreedPlace(
    named: string,
    { name = hostname(), credentials: given, yes }: BeginFlags,
  ): Promise<{ address: string; credentials?: string; name: string }> {
    const address = usableAddress(isNetworkAddress(named) ? named : resolve(named))
    const json = this.jsonEnabled()
    const status = await this.call('GET /api/sync')
    // The secret of the sync that runs must not be replaced.
    if (status.state !== 'off') throw syncsAlready(status)
    const nextSteps = ['add --yes to begin without a question']
    await askAbout({ yes, json, nextSteps }, () => ({
      lines: offerLines(status, address),
      question: 'Sync these memories?',
    }))
    const credentials = given?.replace(/^secret:/u, '') ?? (await this.#askedCredentials(address))
    return { address, ...(credentials !== undefined && { credentials }), name }
  }

  /** Asks for what the place needs and keeps it as a secret, so that it can be replaced there. */
  async #askedCredentials(address: string): Promise<string | undefined> {
    const form = credentialsFor(address)
    if (form === undefined) return undefined
    const value = await readHidden({ label: `Credentials (${form})` })
    await this.call('POST /api/secrets/:name', { params: { name: askedSecret }, body: { value } })
    if (!this.jsonEnabled()) print(`Stored as the secret ${askedSecret}`)
    return askedSecret
  }

  /** Exchanges changes, and shows on a terminal how far it is. */
  protected async exchange(): Promise<SyncStatus> {
    const spinner = startSpinner('exchanging changes')
    const ended = new AbortController()
    const shown = process.stderr.isTTY ? this.#showProgress(spinner.say, ended.signal) : undefined
    try {
      return await call(
        'POST /api/sync/run',
        { body: {} },
        { ...this.globals, timeoutMs: syncTimeoutMs, onWait: spinner.say },
      )
    } finally {
      ended.abort()
      await shown
      spinner.stop()
    }
  }

  async #showProgress(say: (text: string) => void, until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      await delay(progressEveryMs, undefined, { signal: until }).catch(() => undefined)
      if (until.aborted) return
      const status = await call('GET /api/sync', {}, this.globals).catch(() => undefined)
      if (status?.run?.running) say(progressText(status))
    }
  }

  protected show(status: SyncStatus): SyncStatus {
    if (!this.jsonEnabled()) print(statusText(status, colorsFor()))
    return status
  }
}

function syncsAlready({ address }: SyncStatus): CliError {
  return new CliError(`this workspace syncs with ${plainLine(address ?? '')} already`, {
    ...{ code: 'conflict', exit: 'refused' },
    nextSteps: ['memory sync leave'],
  })
}

function offerLines({ offered }: SyncStatus, address: string): string[] {
  const { memories, agents } = offered
  return [
    `These go to ${plainLine(address)}, encrypted so that only your own machines can read them:`,
    `  ${countOf(memories, 'memory', 'memories')} with their history, hints and holders`,
    `  the read policies of ${countOf(agents, 'agent')}`,
    'Never: secrets, sessions and transcripts, documents, skills, settings.',
  ]
}

/** The same rules as the daemon's, before anything is asked. @throws CliError `validation_failed` */
function usableAddress(address: string): string {
  try {
    readPlaceAddress(address)
    return address
  } catch (error) {
    if (!(error instanceof AddressFault)) throw error
    throw new CliError(error.message, { code: 'validation_failed', exit: 'usage' })
  }
}

function progressText({ waiting, run }: SyncStatus): string {
  if (run?.waiting) return plainLine(run.waiting)
  const left = `${countOf(waiting.segmentsToSend, 'file')} to send, ${countOf(waiting.segmentsToRead, 'file')} to read`
  return `exchanging changes: ${left}${run ? `, ${trafficText(run)}` : ''}`
}

function trafficText({ sentBytes, readBytes }: NonNullable<SyncStatus['run']>): string {
  return `${formatBytes(sentBytes)} sent, ${formatBytes(readBytes)} read`
}

const states: Readonly<Record<SyncStatus['state'], string>> = {
  off: 'off. Begin: memory sync init ADDRESS',
  joining:
    'waits to be let in: memory sync approve CODE on a machine that belongs. New code: memory sync leave, then join',
  on: 'on',
  paused: 'paused. Resume: memory sync resume',
  removed: 'another machine removed this one. Leave: memory sync leave',
}

/** Formats the state of the sync for people. */
export function statusText(status: SyncStatus, colors: Colors): string {
  const { state, address, waiting, run, devices, files, troubles } = status
  if (state === 'off') return states.off
  const fields = formatFields(
    [
      ['sync', states[state]],
      ['place', plainLine(address ?? '')],
      ['machines', String(devices.filter(one => one.state === 'member' && !one.self).length + 1)],
      ['to send', `${countOf(waiting.records, 'change')}, ${countOf(waiting.segmentsToSend, 'file')}`],
      ['to read', countOf(waiting.segmentsToRead, 'file')],
      ...(waiting.requests > 0
        ? [
            [
              'asking to join',
              `${waiting.requests}: memory sync approve CODE lets in the one that shows CODE`,
            ] as const,
          ]
        : []),
      ...(run ? [['last exchange', runText(run)] as const] : []),
      ...(run?.waiting ? [['waits', plainLine(run.waiting)] as const] : []),
      ...(files
        ? [
            [
              'stored',
              `${countOf(files.segments, 'file')}, checkpoint ${files.checkpoint ?? 'not needed yet'}`,
            ] as const,
          ]
        : []),
      ...(run?.problem ? [['problem', colors.red(plainLine(run.problem))] as const] : []),
    ],
    colors,
  )
  const faults = (run?.faults ?? []).slice(0, 10).map(fault => `  ${plainLine(fault)}`)
  const others = troubles.filter(({ text }) => !text.startsWith('sync'))
  return [fields, ...faults, ...others.map(({ text }) => colors.yellow(plainLine(text)))].join('\n')
}

function runText(run: NonNullable<SyncStatus['run']>): string {
  const repeated = run.retries > 0 ? `, ${countOf(run.retries, 'request')} repeated` : ''
  return `${run.running ? 'running' : run.at}, ${trafficText(run)}${repeated}`
}

/** Formats the machines for people. */
export function deviceLines({ devices }: SyncStatus): string[] {
  return devices.map(({ tag, name, self, state, read, seen, behind }) => {
    const what = self ? 'this machine' : state === 'removed' ? 'removed' : readText(read)
    const there = seen === null || self ? '' : `, seen ${seen}, ${countOf(behind ?? 0, 'file')} to read`
    return `${tag}  ${plainLine(name)}  ${what}${there}`
  })
}

function readText(read: number | null): string {
  return read === null ? 'nothing read yet' : `read up to its file ${read}`
}

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { maxPatchBytes } from '../../src/contract/knowledge/import-files.js'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { readRegistration } from '../../src/lib/workspace/registration.js'
import { type MeasuredDaemon, startMeasuredDaemon } from '../daemon/daemon-process.js'
import { temporaryWorkspace } from '../daemon/workspace.js'
import { percentile } from '../index/measure.js'

export interface ImportFigures {
  megabytes: number
  conversations: number
  messages: number
  /** Megabytes a second; each part is on the disk before the next is sent. */
  upload: number
  /** Messages a second over the whole import. */
  imported: number
  /** Peak memory of the daemon in MiB, where the system reports it. */
  peak: number | undefined
  /** Event loop delay of the daemon in milliseconds. */
  delay: { p50: number; p99: number; max: number }
  /** 95th percentile of a recall in milliseconds. */
  recall: { quiet: number; meanwhile: number }
}

const probe = pathToFileURL(join(import.meta.dirname, '../capture/delay-probe.mjs')).href
const recalls = 200
const memories = 500
const vocabulary = Array.from({ length: 20_000 }, (_, n) => `w${((n * 7919) % 20_011).toString(36)}`)

/** Uploads and imports conversations of the given total size while recalls run. */
export async function runImportSuite({ megabytes = 64 } = {}): Promise<ImportFigures> {
  const workspace = temporaryWorkspace()
  const file = join(workspace.folder, 'delay.json')
  const environment = { NODE_OPTIONS: `--import=${probe}`, BENCH_DELAY_FILE: file }
  const daemon = await startMeasuredDaemon(workspace.folder, environment)
  for (let n = 0; n < memories; n++)
    await daemon.ask('POST', '/api/memory/remember', { content: `note ${n}: ${wordsFrom(n * 31, 30)}` })
  const quiet = await recallTimes(daemon, () => false)
  const pid = readRegistration(workspacePaths(workspace.folder).registration)?.pid as number
  process.kill(pid, 'SIGUSR2')
  const { body: job } = await daemon.ask('POST', '/api/sources/imports', { adapter: 'service-export' })
  const address = `/api/sources/imports/${job.id}`
  let isOver = false
  const meanwhile = recallTimes(daemon, () => !isOver)
  const began = performance.now()
  const size = await upload(daemon, `${address}/files/a`, megabytes * 1_000_000)
  const uploaded = (performance.now() - began) / 1000
  await daemon.ask('POST', `${address}/files/a/finalize`)
  const started = performance.now()
  await daemon.ask('POST', `${address}/start`)
  const done = await completed(daemon, address)
  const imported = (performance.now() - started) / 1000
  isOver = true
  const times = await meanwhile
  const peak = peakOf(pid)
  await daemon.stop()
  const held = JSON.parse(readFileSync(file, 'utf8')) as ImportFigures['delay']
  workspace.remove()
  return {
    megabytes: size / 1_000_000,
    conversations: done.imported,
    messages: done.messages,
    upload: size / 1_000_000 / uploaded,
    imported: done.messages / imported,
    peak,
    delay: held,
    recall: { quiet: percentile(quiet, 0.95), meanwhile: percentile(times, 0.95) },
  }
}

/** Makes lines as they are sent, so that a file of a GiB is never in memory here. */
async function upload(daemon: MeasuredDaemon, address: string, wanted: number): Promise<number> {
  const lines = Math.ceil(wanted / lineOf(0).length)
  const size = Array.from({ length: lines }, (_, n) => lineOf(n).length).reduce(
    (sum, length) => sum + length,
    0,
  )
  let pending = Buffer.alloc(0)
  let offset = 0
  for (let n = 0; n < lines; n++) {
    pending = Buffer.concat([pending, Buffer.from(lineOf(n))])
    while (pending.length >= maxPatchBytes || (n === lines - 1 && pending.length > 0)) {
      const part = pending.subarray(0, maxPatchBytes)
      await patch(daemon, address, { part, offset, size })
      offset += part.length
      pending = pending.subarray(part.length)
    }
  }
  return size
}

async function patch(
  daemon: MeasuredDaemon,
  address: string,
  { part, offset, size }: { part: Buffer; offset: number; size: number },
): Promise<void> {
  const response = await fetch(`${daemon.url}${address}`, {
    method: 'PATCH',
    headers: {
      'upload-length': String(size),
      'upload-offset': String(offset),
      'upload-checksum': createHash('sha256').update(part).digest('hex'),
    },
    body: part as Uint8Array<ArrayBuffer>,
  })
  if (!response.ok)
    throw new Error(`the upload was answered with ${response.status}: ${await response.text()}`)
}

/** A conversation of twenty messages of about 600 characters. */
function lineOf(n: number): string {
  const messages = Array.from({ length: 20 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    text: wordsFrom(n * 977 + at * 131, 120),
  }))
  return `${JSON.stringify({ sessionKey: `s${String(n).padStart(8, '0')}`, harness: 'bench', capturedAt: '2026-01-01T00:00:00.000Z', messages })}\n`
}

function wordsFrom(seed: number, count: number): string {
  let state = seed + 1
  return Array.from({ length: count }, () => {
    state = (state * 48_271) % 2_147_483_647
    // The cube makes few words frequent, as in natural text.
    const share = (state % 10_000) / 10_000
    return vocabulary[Math.floor(share * share * share * vocabulary.length)]
  }).join(' ')
}

async function recallTimes(daemon: MeasuredDaemon, goesOn: () => boolean): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < recalls || goesOn(); n++) {
    const { ms } = await daemon.ask('POST', '/api/memory/recall', {
      query: wordsFrom((n % memories) * 31, 4),
    })
    times.push(ms)
    await delay(20)
  }
  return times
}

async function completed(
  daemon: MeasuredDaemon,
  address: string,
): Promise<{ imported: number; messages: number }> {
  for (;;) {
    const { body } = await daemon.ask('GET', address)
    if (body.state === 'completed') return body
    if (body.state === 'failed') throw new Error(`the import failed: ${body.error}`)
    await delay(200)
  }
}

function peakOf(pid: number): number | undefined {
  try {
    const [, kib] = /^VmHWM:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return kib === undefined ? undefined : Number(kib) / 1024
  } catch {
    return undefined
  }
}

export function formatImportSuite(figures: ImportFigures): string {
  const { megabytes, conversations, messages, upload, imported, peak, delay: held, recall } = figures
  return [
    `${megabytes.toFixed(0)} MB: ${conversations} conversations, ${messages} messages`,
    '',
    '| what | |',
    '|---|--:|',
    `| upload, each MiB on the disk before the next | ${upload.toFixed(1)} MB/s |`,
    `| import | ${imported.toFixed(0)} messages/s, ${((imported * megabytes) / messages).toFixed(2)} MB/s |`,
    `| peak memory of the daemon | ${peak === undefined ? '-' : `${peak.toFixed(0)} MiB`} |`,
    `| event loop delay, p50 / p99 / max | ${held.p50.toFixed(1)} / ${held.p99.toFixed(1)} / ${held.max.toFixed(1)} ms |`,
    `| recall p95, quiet / during the import | ${recall.quiet.toFixed(0)} / ${recall.meanwhile.toFixed(0)} ms |`,
  ].join('\n')
}

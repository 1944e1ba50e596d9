import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { readRegistration } from '../../src/lib/workspace/registration.js'
import { type MeasuredDaemon, startMeasuredDaemon } from '../daemon/daemon-process.js'
import { temporaryWorkspace } from '../daemon/workspace.js'
import { percentile } from '../index/measure.js'

export interface CaptureFigures {
  sessions: number
  megabytes: number
  /** Milliseconds until a session-end is answered; its transcript is durable by then. */
  reply: { p50: number; p95: number; max: number }
  /** Seconds until every transcript is captured and found. */
  captured: number
  /** Event loop delay of the daemon in milliseconds. */
  delay: { p50: number; p99: number; max: number }
  lost: number
}

const probe = pathToFileURL(join(import.meta.dirname, 'delay-probe.mjs')).href
const words = 'harbour crane pilot tide ledger engine valve cargo signal anchor beacon ferry lock quay'.split(
  ' ',
)

/**
 * Ends many sessions at once, each with a long transcript, against a daemon that measures its own event loop.
 */
export async function runCaptureSuite({ sessions = 20, megabytes = 5 } = {}): Promise<CaptureFigures> {
  const workspace = temporaryWorkspace()
  const file = join(workspace.folder, 'delay.json')
  const environment = { NODE_OPTIONS: `--import=${probe}`, BENCH_DELAY_FILE: file }
  const daemon = await startMeasuredDaemon(workspace.folder, environment)
  const transcripts = Array.from({ length: sessions }, (_, n) => transcriptOf(n, megabytes * 1_000_000))
  const registration = readRegistration(workspacePaths(workspace.folder).registration)
  if (registration) process.kill(registration.pid, 'SIGUSR2')
  const started = performance.now()
  const replies = await Promise.all(
    transcripts.map(({ text }, n) =>
      daemon.ask('POST', '/api/hooks/session-end', {
        harness: 'bench',
        sessionKey: `s${n}`,
        transcript: text,
      }),
    ),
  )
  for (const { body } of replies) await completed(daemon, body.transcriptCaptureJobId)
  const captured = (performance.now() - started) / 1000
  const lost = await countLost(daemon, transcripts)
  await daemon.stop()
  const figures = JSON.parse(readFileSync(file, 'utf8')) as CaptureFigures['delay']
  workspace.remove()
  const times = replies.map(({ ms }) => ms)
  const reply = { p50: percentile(times, 0.5), p95: percentile(times, 0.95), max: Math.max(...times) }
  return { sessions, megabytes, reply, captured, delay: figures, lost }
}

interface Transcript {
  text: string
  messages: number
}

function transcriptOf(session: number, length: number): Transcript {
  const lines: string[] = []
  for (let at = 0, n = 0; at < length; n++) {
    const said = Array.from(
      { length: 200 },
      (_, word) => words[(n * 7 + word * word + session) % words.length],
    )
    const line = `${n % 2 ? 'assistant' : 'user'}: session ${session} turn ${n} ${said.join(' ')}`
    lines.push(line)
    at += line.length + 1
  }
  return { text: lines.join('\n'), messages: lines.length }
}

async function completed(daemon: MeasuredDaemon, jobId: string): Promise<void> {
  for (;;) {
    const { body } = await daemon.ask('GET', `/api/hooks/transcript-capture/${jobId}`)
    if (body.status === 'completed') return
    if (body.status === 'failed') throw new Error(`a capture failed: ${body.error}`)
    await delay(100)
  }
}

async function countLost(daemon: MeasuredDaemon, transcripts: readonly Transcript[]): Promise<number> {
  let lost = 0
  for (const [n, { messages }] of transcripts.entries()) {
    const { body } = await daemon.ask('GET', `/api/sessions/s${n}/transcript`)
    lost += messages - body.messages
  }
  return lost
}

export function formatCaptureSuite(figures: CaptureFigures): string {
  const { sessions, megabytes, reply, captured, delay: loop, lost } = figures
  return [
    `${sessions} sessions that end at once, ${megabytes} MB of transcript each: ${lost} messages lost`,
    '',
    '| what | p50 | p95 / p99 | max |',
    '|---|--:|--:|--:|',
    `| reply to session-end | ${reply.p50.toFixed(0)} ms | ${reply.p95.toFixed(0)} ms | ${reply.max.toFixed(0)} ms |`,
    `| event loop delay | ${loop.p50.toFixed(1)} ms | ${loop.p99.toFixed(1)} ms | ${loop.max.toFixed(1)} ms |`,
    '',
    `All captured after ${captured.toFixed(1)} s, ${((sessions * megabytes) / captured).toFixed(2)} MB/s.`,
  ].join('\n')
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { type MeasuredDaemon, startMeasuredDaemon } from '../daemon/daemon-process.js'
import { temporaryWorkspace } from '../daemon/workspace.js'
import { environmentNote, measuredEnvironment } from '../environment.js'
import { percentile } from '../index/measure.js'

export interface SecretsSuiteResult {
  /** Milliseconds of commands run one after another, in turns with a bare shell. */
  single: { execP50: number; execP95: number; shellP50: number; shellP95: number }
  /** Milliseconds until all concurrent commands have ended. */
  together: { commands: number; exec: number; shells: number }
  /** Output size, and the daemon's event loop delay while it was read. */
  outputs: { what: string; megabytes: number; seconds: number; loopP99Ms: number; loopMaxMs: number }[]
  /** One-minute load average at the start and at the end. */
  load: [number, number]
}

const turns = 60
const warmUps = 5
const commands = 20
const rounds = 7
const megabytes = 100
const idleMs = 10_000
/** Interval between polls of a command. */
const pollMs = 2
const secret = 'correct-horse-battery-staple'

/**
 * Compares a command with a secret to the same line in a shell, and measures how 100 MB of output affect the
 * daemon.
 */
export async function runSecretsSuite(): Promise<SecretsSuiteResult> {
  const before = loadavg()[0] ?? Number.NaN
  const workspace = temporaryWorkspace()
  const daemon = await startMeasuredDaemon(workspace.folder)
  await daemon.ask('POST', '/api/secrets/API_KEY', { value: secret })
  const single = await measureSingle(daemon)
  const together = await measureTogether(daemon)
  const outputs = [
    await measureLoop(daemon, 'nothing runs', 0, async () => void (await delay(idleMs))),
    await measureLoop(daemon, 'text without the value', megabytes, () =>
      runToEnd(daemon, printing('no value here')),
    ),
    await measureLoop(daemon, 'every line with the value', megabytes, () =>
      runToEnd(daemon, printing(secret)),
    ),
  ]
  await daemon.stop()
  workspace.remove()
  return { single, together, outputs, load: [before, loadavg()[0] ?? Number.NaN] }
}

/** A shell line that prints the megabytes in lines of 64 bytes, each with these words. */
function printing(words: string): string {
  const line = `line of the output: ${words} `.padEnd(63, '.')
  return `yes '${line}' | head -c ${megabytes * 1_000_000}`
}

async function measureSingle(daemon: MeasuredDaemon): Promise<SecretsSuiteResult['single']> {
  const exec: number[] = []
  const shell: number[] = []
  for (let turn = 0; turn < turns + warmUps; turn++) {
    const both = [await timed(() => runToEnd(daemon, 'true')), await timed(runShell)] as const
    if (turn < warmUps) continue
    exec.push(both[0])
    shell.push(both[1])
  }
  return {
    execP50: percentile(exec, 0.5),
    execP95: percentile(exec, 0.95),
    shellP50: percentile(shell, 0.5),
    shellP95: percentile(shell, 0.95),
  }
}

async function measureTogether(daemon: MeasuredDaemon): Promise<SecretsSuiteResult['together']> {
  const all = (work: () => Promise<void>) => () => Promise.all(Array.from({ length: commands }, work))
  const exec: number[] = []
  const shells: number[] = []
  for (let round = 0; round < rounds; round++) {
    exec.push(await timed(all(() => runToEnd(daemon, 'true'))))
    shells.push(await timed(all(runShell)))
  }
  return { commands, exec: percentile(exec, 0.5), shells: percentile(shells, 0.5) }
}

async function measureLoop(
  daemon: MeasuredDaemon,
  what: string,
  size: number,
  work: () => Promise<void>,
): Promise<SecretsSuiteResult['outputs'][number]> {
  await daemon.load()
  const ms = await timed(work)
  const { loopP99Ms, loopMaxMs } = await daemon.load()
  return { what, megabytes: size, seconds: ms / 1000, loopP99Ms, loopMaxMs }
}

/** Polls every two milliseconds until the command has ended, like a client without a stream. */
async function runToEnd(daemon: MeasuredDaemon, command: string): Promise<void> {
  const { status, body } = await daemon.ask('POST', '/api/secrets/exec', {
    command,
    secrets: { K: 'API_KEY' },
  })
  if (status !== 202) throw new Error(`a command was answered with ${status}`)
  for (;;) {
    const { body: state } = await daemon.ask('GET', `/api/secrets/exec/${body.id}`)
    if (state.status === 'completed' && state.result.code === 0) return
    if (state.status === 'completed' || state.status === 'failed')
      throw new Error(`a command ended with ${JSON.stringify(state).slice(0, 300)}`)
    await delay(pollMs)
  }
}

async function runShell(): Promise<void> {
  const child = spawn('sh', ['-c', 'true'], { env: measuredEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.resume()
  child.stderr.resume()
  await once(child, 'close')
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

export function formatSecretsSuite({ single, together, outputs, load }: SecretsSuiteResult): string {
  const { execP50, execP95, shellP50, shellP95 } = single
  const ms = (value: number): string => `${value.toFixed(1)} ms`
  return [
    `${environmentNote} Load ${load.map(value => value.toFixed(1)).join(' to ')}.`,
    '',
    '| `true` | with a secret, over HTTP | `sh -c true` | ratio |',
    '|---|--:|--:|--:|',
    `| one after the other, p50 / p95 | ${ms(execP50)} / ${ms(execP95)} | ${ms(shellP50)} / ${ms(shellP95)} | ${(execP50 / shellP50).toFixed(2)} |`,
    `| ${together.commands} at once, median of ${rounds} | ${ms(together.exec)} | ${ms(together.shells)} | ${(together.exec / together.shells).toFixed(2)} |`,
    '',
    '| a command prints | took | loop delay p99, max |',
    '|---|--:|--:|',
    ...outputs.map(
      ({ what, megabytes: size, seconds, loopP99Ms, loopMaxMs }) =>
        `| ${what}${size ? `, ${size} MB` : ''} | ${seconds.toFixed(1)} s${size ? `, ${(size / seconds).toFixed(1)} MB/s` : ''} | ${ms(loopP99Ms)}, ${ms(loopMaxMs)} |`,
    ),
  ].join('\n')
}

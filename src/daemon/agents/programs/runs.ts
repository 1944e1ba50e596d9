import { stripVTControlCharacters } from 'node:util'
import { AppError } from '../../../contract/ground/errors.js'
import type { Ground } from '../../ground/ground.js'
import { createDaemonState } from '../../platform/daemon/daemon.js'
import type { Worker } from '../../platform/jobs/worker.js'
import {
  type GroupEnd,
  packageVariables,
  passedVariables,
  runGroup,
} from '../../platform/processes/run-group.js'

type Deps = Pick<Ground, 'paths' | 'log' | 'environment'>

export interface QuietRun {
  command: readonly [program: string, ...args: string[]]
  cwd: string
  timeoutMs: number
  signal: AbortSignal
  /** Added to the variables that are passed on. */
  env?: NodeJS.ProcessEnv
}

export interface QuietEnd extends Pick<GroupEnd, 'status' | 'code' | 'error' | 'isMissing'> {
  /** Output of both streams without colours and line drawings; only the end when it is long. */
  output: string
}

/** Bytes of output kept, from the end. */
const keptBytes = 32 * 1024
const maxOutput = 8000
const maxLine = 2000
/** Characters of banners and frames in a terminal. */
const drawn = /[\u2500-\u259f\u2022\s]+/gu

/** Running work of requests, by the key of its subject. */
interface OpenRuns {
  stop: AbortController
  byKey: Map<string, Promise<unknown>>
}

type OpenRunsDeps = Pick<Ground, 'store'>

const all = createDaemonState<OpenRuns>()

/**
 * Runs a non-interactive program and keeps the end of its output. It does not get the daemon's own variables.
 */
export async function runQuietly(deps: Deps, { env, ...run }: QuietRun): Promise<QuietEnd> {
  const chunks: Buffer[] = []
  const end = await runGroup(deps, {
    ...run,
    env: { ...passedVariables(deps.environment, packageVariables), NO_COLOR: '1', TERM: 'dumb', ...env },
    onOutput: (_stream, chunk) => {
      chunks.push(chunk)
      let bytes = chunks.reduce((sum, { length }) => sum + length, 0)
      while (chunks.length > 1 && bytes - chunks[0]!.length >= keptBytes) bytes -= chunks.shift()!.length
    },
  })
  return { ...end, output: readable(Buffer.concat(chunks).subarray(-keptBytes).toString('utf8')) }
}

/** The output of a program for people, without frames and colours; linear in its length. */
export function readable(text: string): string {
  const lines = stripVTControlCharacters(text)
    .replaceAll('\0', '')
    .split(/\r?\n|\r/u)
    .map(line => line.slice(0, maxLine))
    .filter(line => line.replace(drawn, '') !== '')
    .map(line => withoutFrame(line.slice(0, maxLine)))
  return lines.join('\n').slice(-maxOutput).toWellFormed()
}

/** Removes the sides of a frame from a line. */
function withoutFrame(line: string): string {
  const text = line.replace(/^[\u2500-\u259f]\s*/u, '').trimEnd()
  let end = text.length
  while (end > 0 && isFrame(text.charCodeAt(end - 1))) end--
  return text.slice(0, end).trimEnd()
}

function isFrame(unit: number): boolean {
  return unit >= 0x2500 && unit <= 0x257f
}

function runsOf(deps: OpenRunsDeps): OpenRuns {
  return all.ofOrMade(deps, () => ({ stop: new AbortController(), byKey: new Map() }))
}

/**
 * Runs work that must not run twice at once for the same key. Its signal aborts when the daemon stops.
 * @param key names the subject of the work. @param busy error message for a second caller.
 * @throws AppError `conflict` while work with the same key is running.
 */
export async function runExclusively<T>(
  deps: OpenRunsDeps,
  { key, busy }: { key: string; busy: string },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { stop, byKey } = runsOf(deps)
  if (byKey.has(key)) throw new AppError('conflict', busy)
  const run = work(stop.signal)
  byKey.set(key, run)
  try {
    return await run
  } finally {
    byKey.delete(key)
  }
}

/** Lists the running keys that begin with `start`. @returns the rest of each key. */
export function runningKeys(deps: OpenRunsDeps, start: string): string[] {
  return [...runsOf(deps).byKey.keys()]
    .filter(key => key.startsWith(start))
    .map(key => key.slice(start.length))
}

/** Creates the worker that aborts running work when the daemon stops. */
export function createRunsWorker(deps: OpenRunsDeps): Worker {
  const { stop, byKey } = runsOf(deps)
  return {
    start: () => undefined,
    busy: () => byKey.size > 0,
    close: async () => {
      stop.abort()
      await Promise.allSettled(byKey.values())
    },
  }
}

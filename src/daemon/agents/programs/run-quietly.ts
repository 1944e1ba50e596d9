import { stripVTControlCharacters } from 'node:util'
import type { Ground } from '../../ground/ground.js'
import { packageVariables, passedVariables } from '../../platform/processes/passed-variables.js'
import { type GroupEnd, runGroup } from '../../platform/processes/run-group.js'

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

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
  /** Comes on top of the variables that are passed on. */
  env?: NodeJS.ProcessEnv
}

export interface QuietEnd extends Pick<GroupEnd, 'status' | 'code' | 'error' | 'isMissing'> {
  /** What it wrote, to either stream, without colours and drawings; the end of it when that is much. */
  output: string
}

/** Bytes of output that are kept, from the end. */
const keptBytes = 32 * 1024
const maxOutput = 8000
/** Characters of one line that are kept. */
const maxLine = 2000
/** What draws banners and frames in a terminal. */
const drawn = /[\u2500-\u259f\u2022\s]+/gu

/** Runs a program that nobody talks to, and keeps the end of what it writes. It gets few of our variables. */
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
    .map(line => withoutFrameEnd(line.replace(/^[\u2500-\u259f]\s*/u, '')))
  return lines.join('\n').slice(-maxOutput).toWellFormed()
}

function withoutFrameEnd(line: string): string {
  const text = line.trimEnd()
  let end = text.length
  while (end > 0 && isFrame(text.charCodeAt(end - 1))) end--
  return text.slice(0, end).trimEnd()
}

function isFrame(code: number): boolean {
  return code >= 0x2500 && code <= 0x257f
}

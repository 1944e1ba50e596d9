import { fstatSync } from 'node:fs'
import { Socket } from 'node:net'

/** If the input does not end, complete JSON followed by silence of this length counts as the whole input. */
const quietMs = 50

const byteOrderMark = Buffer.from('\uFEFF')

export interface InputLimits {
  maxBytes: number
  timeoutMs: number
}

/**
 * Opens standard input. A pipe gets its own socket, because `process.stdin` loads code that only terminals
 * need.
 */
export function openInput(): NodeJS.ReadableStream {
  return isPipe(0) ? new Socket({ fd: 0, readable: true, writable: false }) : process.stdin
}

/**
 * Reads the whole input of a hook.
 * @throws Error if it exceeds `maxBytes`, or is still incomplete after `timeoutMs`.
 */
export function readInput(
  stream: NodeJS.ReadableStream,
  { maxBytes, timeoutMs }: InputLimits,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const state: { bytes: number; quiet?: NodeJS.Timeout } = { bytes: 0 }
    const timer = setTimeout(() => end(new Error(`no input within ${timeoutMs} ms`)), timeoutMs)
    const end = (result: Buffer | Error): void => {
      clearTimeout(timer)
      clearTimeout(state.quiet)
      stream.removeAllListeners()
      stream.on('error', () => undefined)
      stream.pause()
      if (result instanceof Error) reject(result)
      else resolve(result)
    }
    stream.on('data', (chunk: Buffer) => {
      state.bytes += chunk.length
      if (state.bytes > maxBytes) return end(new Error(`the input is larger than ${maxBytes} bytes`))
      chunks.push(chunk)
      clearTimeout(state.quiet)
      state.quiet = setTimeout(() => {
        const all = withoutMark(chunks)
        if (isJson(all)) end(all)
      }, quietMs)
    })
    stream.on('end', () => end(withoutMark(chunks)))
    stream.on('error', (error: Error) => end(error))
  })
}

/** Joins the input without the byte order mark that Cursor puts before it on Windows. */
function withoutMark(chunks: readonly Buffer[]): Buffer {
  const all = Buffer.concat(chunks)
  return all.subarray(0, 3).equals(byteOrderMark) ? all.subarray(3) : all
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString('utf8'))
    return true
  } catch {
    return false
  }
}

/** Returns true if a descriptor of this process is a pipe or a socket. */
export function isPipe(descriptor: number): boolean {
  try {
    const kind = fstatSync(descriptor)
    return kind.isFIFO() || kind.isSocket()
  } catch {
    return false
  }
}

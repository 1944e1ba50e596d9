import { fstatSync } from 'node:fs'
import { Socket } from 'node:net'

/** When the input does not end, complete JSON after which nothing follows for this long counts as all of it. */
const quietMs = 50

export interface InputLimits {
  maxBytes: number
  timeoutMs: number
}

/** Standard input. Of a pipe by itself: to make the stream of the process loads what only terminals need. */
export function openInput(): NodeJS.ReadableStream {
  return isPipe(0) ? new Socket({ fd: 0, readable: true, writable: false }) : process.stdin
}

/**
 * What a harness writes to a hook: all of a stream as bytes.
 * @throws Error when it is larger than `maxBytes`, or neither ends nor is whole within `timeoutMs`.
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
        const all = Buffer.concat(chunks)
        if (isJson(all)) end(all)
      }, quietMs)
    })
    stream.on('end', () => end(Buffer.concat(chunks)))
    stream.on('error', (error: Error) => end(error))
  })
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString('utf8'))
    return true
  } catch {
    return false
  }
}

/** Whether a descriptor of this process is a pipe or a socket. */
export function isPipe(descriptor: number): boolean {
  try {
    const kind = fstatSync(descriptor)
    return kind.isFIFO() || kind.isSocket()
  } catch {
    return false
  }
}

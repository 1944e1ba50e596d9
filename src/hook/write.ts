import { writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { isPipe } from './is-pipe.js'

/**
 * Writes for whoever called. A pipe whose reader does not read takes what it takes until the time is over: a write that
 * waits for room would hold the process for as long as the reader likes.
 */
export function write(descriptor: 1 | 2, text: string, timeoutMs: number): Promise<void> {
  if (text === '') return Promise.resolve()
  if (!isPipe(descriptor)) {
    try {
      writeSync(descriptor, text)
    } catch {
      // Nobody reads.
    }
    return Promise.resolve()
  }
  return new Promise(resolve => {
    const pipe = new Socket({ fd: descriptor, readable: false, writable: true })
    const timer = setTimeout(resolve, timeoutMs)
    const done = (): void => {
      clearTimeout(timer)
      resolve()
    }
    pipe.on('error', done)
    pipe.write(text, done)
  })
}

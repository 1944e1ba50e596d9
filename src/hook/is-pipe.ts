import { fstatSync } from 'node:fs'

/** Whether a descriptor of this process is a pipe or a socket. */
export function isPipe(descriptor: number): boolean {
  try {
    const kind = fstatSync(descriptor)
    return kind.isFIFO() || kind.isSocket()
  } catch {
    return false
  }
}

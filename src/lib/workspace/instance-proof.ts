import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { realpathSync } from 'node:fs'

/**
 * Proves knowledge of an instance id without revealing it. The port is part of it: a program on another port
 * cannot pass the daemon's proof on.
 */
export function instanceProof(instance: string, challenge: string, port: number): string {
  return createHmac('sha256', instance).update(`${challenge} ${port}`).digest('hex')
}

/** Compares in a time that reveals nothing about the right value. */
export function isSameText(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/**
 * Returns the public name of a workspace. It follows from the instance id and the folder, so that a copied
 * folder has another name; it reveals neither.
 */
export function workspaceName(instance: string, root: string): string {
  return createHash('sha256')
    .update(`${instance} ${realPath(root)}`)
    .digest('hex')
    .slice(0, 16)
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}

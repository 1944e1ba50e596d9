import { hkdfSync } from 'node:crypto'
import { bech32 } from '@scure/base'
import { seedOfRecoveryCode } from './recovery-code.js'

/** Bytes of the key of a workspace, and of every key derived from it. */
export const workspaceKeyBytes = 32

/** Each use has a key of its own, so that none of them reveals another. */
export type KeyUse = 'archive' | 'sync'

/** The key of the workspace that a recovery code stands for; undefined for a mistyped code. */
export function keyOfRecoveryCode(typed: string): Buffer | undefined {
  const seed = seedOfRecoveryCode(typed)
  return seed && derive(seed, 'workspace key')
}

/** Derives the key of one use from the key of the workspace. */
export function keyFor(use: KeyUse, workspaceKey: Uint8Array): Buffer {
  return derive(workspaceKey, use)
}

/** The secret key of the workspace in the form that age reads: `AGE-SECRET-KEY-1…`. */
export function ageIdentityOf(workspaceKey: Uint8Array): string {
  const words = bech32.toWords(keyFor('archive', workspaceKey))
  return bech32.encode('AGE-SECRET-KEY-', words, false).toUpperCase()
}

function derive(key: Uint8Array, use: string): Buffer {
  const bytes = hkdfSync('sha256', key, 'memory-service', `${use} v1`, workspaceKeyBytes)
  return Buffer.from(bytes)
}

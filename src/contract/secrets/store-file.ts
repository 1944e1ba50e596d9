import { z } from 'zod'
import { secretName } from './names.js'

/** Base64; the limit is longer than any sealed value. */
const bytes = z.string().max(100_000)
const sealed = z.object({ iv: bytes, ct: bytes, tag: bytes })
export type SealedValue = z.infer<typeof sealed>

/** Origin of the outer key (key encryption key). */
const outerKey = z.discriminatedUnion('source', [
  z.object({ source: z.literal('keyfile') }),
  z.object({ source: z.literal('keychain'), id: z.string().regex(/^[0-9a-f]{32}$/) }),
  z.object({
    source: z.literal('passphrase'),
    salt: bytes,
    // Limited, so that a foreign file cannot exhaust the memory.
    N: z.literal([2 ** 15, 2 ** 16, 2 ** 17, 2 ** 18]),
    r: z.literal(8),
    p: z.int().min(1).max(4),
  }),
])
export type OuterKey = z.infer<typeof outerKey>
export const keySources = ['keyfile', 'keychain', 'passphrase'] as const
export type KeySource = (typeof keySources)[number]

const entry = sealed.extend({ createdAt: z.string().max(40), updatedAt: z.string().max(40) })

export const storeFormat = 'memory-service-secrets'

/**
 * `.secrets/secrets.json`, and an export: the inner key (dek) is sealed with the outer one
 * (secrets.md#the-store).
 */
export const storeFile = z.object({
  format: z.literal(storeFormat),
  version: z.literal(1),
  kek: outerKey,
  dek: sealed.extend({ id: z.string().min(1).max(64) }),
  entries: z.record(secretName, entry),
})
export type StoreFile = z.infer<typeof storeFile>

import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { queryBoolean, staysAt } from '../ground/fields.js'
import { secretProvider } from '../ground/wire-names.js'
import { maxValueBytes, passphrase, secretName, secretValue, storableName } from './names.js'
import { keySources, storeFile } from './store-file.js'

const params = z.object({ name: storableName })
const done = z.object({ success: z.literal(true), name: z.string() })
/** JSON may escape a byte with six. */
const maxBodyBytes = 6 * maxValueBytes + 4096
/** Each request takes 128 MiB while it derives a key. */
const maxInFlight = 2

/** Not memory writes: they work while the kill switch is on, so that a leaked key can be replaced. */
const administration = {
  method: 'POST',
  permission: 'admin',
  plugin: { id: 'service.secrets', capability: 'secrets:store' },
  mutates: false,
  bucket: 'admin',
  maxInFlight,
} as const

const secretDetails = z.object({
  name: secretName,
  /** Location of the secret: the store of this workspace, or Bitwarden. */
  provider: z.enum([secretProvider.local, secretProvider.bitwarden]),
  /** Null for secrets in a password manager. */
  createdAt: z.string().nullable(),
  updatedAt: z.string().nullable(),
  /** To the minute; null when no use was recorded yet. */
  lastUsedAt: z.string().nullable(),
})
export type SecretDetails = z.infer<typeof secretDetails>

export const listSecrets = endpoint({
  method: 'GET',
  path: '/api/secrets',
  summary: 'List the names of secrets, optionally with times of last update and use; never values',
  permission: 'modify',
  permissionFor: ({ query }: { query: { details: boolean } }) => (query.details ? 'admin' : undefined),
  plugin: { id: 'service.secrets', capability: 'secrets:list' },
  mutates: false,
  query: z.object({ details: queryBoolean.default(false) }),
  response: z.object({
    secrets: z.array(secretName),
    details: z.array(secretDetails).optional(),
    stays: staysAt.optional(),
  }),
})

export const storeSecret = endpoint({
  method: 'POST',
  path: '/api/secrets/:name',
  summary: 'Create a secret or replace its value',
  permission: 'admin',
  plugin: { id: 'service.secrets', capability: 'secrets:write' },
  mutates: false,
  bucket: 'modify',
  maxBodyBytes,
  params,
  body: z.object({ value: secretValue }),
  response: done,
})

export const deleteSecret = endpoint({
  method: 'DELETE',
  path: '/api/secrets/:name',
  summary: 'Delete a secret',
  permission: 'admin',
  plugin: { id: 'service.secrets', capability: 'secrets:delete' },
  mutates: false,
  perDaemon: ['not_found'],
  bucket: 'modify',
  params,
  response: done,
})

export const secretStoreStatus = endpoint({
  method: 'GET',
  path: '/api/secrets/store/status',
  summary: 'Get the state of the secret store and the location of its key',
  permission: 'admin',
  plugin: { id: 'service.secrets', capability: 'secrets:store' },
  mutates: false,
  response: z.object({
    state: z.enum(['none', 'open', 'locked', 'damaged', 'unavailable']),
    source: z.enum(keySources).nullable(),
    secrets: z.int().nullable(),
    problem: z.string().nullable(),
  }),
})

export const protectSecrets = endpoint({
  ...administration,
  path: '/api/secrets/store/protect',
  summary: 'Move the encryption key to a file, the keychain or a passphrase',
  body: z.discriminatedUnion('source', [
    z.object({ source: z.literal('keyfile') }),
    z.object({ source: z.literal('keychain') }),
    z.object({ source: z.literal('passphrase'), passphrase }),
  ]),
  response: z.object({ success: z.literal(true), source: z.enum(keySources) }),
})

export const unlockSecrets = endpoint({
  ...administration,
  path: '/api/secrets/store/unlock',
  summary: 'Unlock the secret store with its passphrase until the daemon stops',
  body: z.object({ passphrase }),
  response: z.object({ success: z.literal(true) }),
})

export const rotateSecrets = endpoint({
  ...administration,
  path: '/api/secrets/store/rotate',
  summary: 'Rotate the keys of the secret store',
  body: z.object({ keys: z.enum(['outer', 'inner', 'both']).default('both') }).prefault({}),
  response: z.object({ success: z.literal(true), rotated: z.array(z.enum(['outer', 'inner'])) }),
})

export const exportSecrets = endpoint({
  ...administration,
  path: '/api/secrets/store/export',
  givesSecrets: true,
  summary: 'Export all secrets to a passphrase-protected file',
  body: z.object({ passphrase }),
  response: storeFile,
})

export const importSecrets = endpoint({
  ...administration,
  path: '/api/secrets/store/import',
  summary: 'Import secrets from an export or a list of values',
  body: z
    .object({
      /**
       * An export file with its passphrase; validated as a whole, as the path of a fault would repeat a name.
       */
      file: z.record(z.string(), z.unknown()).optional(),
      passphrase: passphrase.optional(),
      /** The last value of a repeated name wins. */
      entries: z
        .array(z.object({ name: storableName, value: secretValue }))
        .min(1)
        .max(1000)
        .optional(),
      dryRun: z.boolean().default(false),
      /** Replaces existing values. */
      overwrite: z.boolean().default(false),
    })
    .refine(({ file, passphrase: given, entries }) => (file ? given !== undefined && !entries : entries), {
      error: 'give either `file` with its `passphrase`, or `entries`',
    }),
  response: z.object({
    dryRun: z.boolean(),
    /** Names by comparison of the values here with those of the import. */
    added: z.array(z.string()),
    changed: z.array(z.string()),
    same: z.array(z.string()),
    /** Number of stored values. */
    written: z.int(),
  }),
})

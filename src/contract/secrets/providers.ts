import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { staysAt } from '../ground/fields.js'
import { secretProvider } from '../ground/wire-names.js'

/** Not memory writes, so they work while the kill switch is on, like the secret store. */
const providers = {
  permission: 'admin',
  plugin: { id: 'service.secrets', capability: 'secrets:providers' },
  mutates: false,
} as const
const changing = { ...providers, bucket: 'admin' } as const

/** Tokens are passed in environment variables, which cannot contain NUL or line breaks. */
const token = z
  .string('the token must be a string')
  .min(1, 'the token is empty')
  .max(8192, 'the token has more than 8192 characters')
  .regex(
    /^[\x21-\x7e]+$/,
    'the token contains invalid characters such as spaces; check that it was copied completely',
  )
const folderId = z.string().min(1).max(200)

const bitwardenStatus = z.object({
  provider: z.literal(secretProvider.bitwarden),
  /** True when a session token is stored here. */
  connected: z.boolean(),
  /** True when bare names are looked up there. */
  active: z.boolean(),
  /** State of the stored session according to its CLI; null when that can't be run. */
  status: z.enum(['unauthenticated', 'locked', 'unlocked']).nullable(),
  folderId: z.string().nullable(),
  serverUrl: z.string().nullable(),
  userEmail: z.string().nullable(),
  problem: z.string().nullable(),
})

export const bitwardenStatusEndpoint = endpoint({
  ...providers,
  method: 'GET',
  path: '/api/secrets/vaulta/status',
  summary: 'Get whether Bitwarden is connected, unlocked and in use',
  response: bitwardenStatus.extend({ stays: staysAt.optional() }),
})

export const connectBitwarden = endpoint({
  ...changing,
  method: 'POST',
  path: '/api/secrets/vaulta/connect',
  summary: 'Connect Bitwarden with a session, which is stored encrypted',
  body: z.object({ session: token, activate: z.boolean().default(false), folderId: folderId.optional() }),
  response: bitwardenStatus.extend({ success: z.literal(true) }),
})

export const disconnectBitwarden = endpoint({
  ...changing,
  method: 'DELETE',
  path: '/api/secrets/vaulta/connect',
  summary: 'Disconnect Bitwarden; secrets come from the local store again',
  response: z.object({ success: z.literal(true), provider: z.literal('local') }),
})

export const chooseProvider = endpoint({
  ...changing,
  method: 'POST',
  path: '/api/secrets/vaulta/provider',
  perDaemon: ['conflict'],
  summary: 'Choose the secret store: local or Bitwarden',
  body: z.object({ provider: z.enum([secretProvider.local, secretProvider.bitwarden]) }),
  response: z.object({
    success: z.literal(true),
    provider: z.enum([secretProvider.local, secretProvider.bitwarden]),
  }),
})

export const bitwardenFolders = endpoint({
  ...providers,
  method: 'GET',
  path: '/api/secrets/vaulta/folders',
  perDaemon: ['conflict'],
  summary: 'List Bitwarden folders',
  response: z.object({ folders: z.array(z.object({ id: z.string(), name: z.string() })) }),
})

/** The result of copying one secret, or the planned action. */
const transferResult = z.object({
  name: z.string(),
  /** `same`: the target has this value. `differs`: it has another one, and `overwrite` is not set. */
  action: z.enum(['create', 'overwrite', 'same', 'differs', 'invalid']),
  done: z.boolean(),
  error: z.string().optional(),
})

export const migrateToBitwarden = endpoint({
  ...changing,
  method: 'POST',
  path: '/api/secrets/vaulta/migrate',
  perDaemon: ['conflict'],
  summary: 'Copy local secrets to Bitwarden and verify each copy',
  body: z
    .object({
      dryRun: z.boolean().default(true),
      overwrite: z.boolean().default(false),
      /** Deletes each local secret once Bitwarden returned the same value. */
      deleteLocal: z.boolean().default(false),
    })
    .prefault({}),
  response: z.object({
    dryRun: z.boolean(),
    secrets: z.array(transferResult.extend({ localDeleted: z.boolean() })),
    migrated: z.int(),
    failed: z.int(),
  }),
})

const onePasswordStatus = z.object({
  provider: z.literal(secretProvider.onePassword),
  /** True when a token is stored here. */
  connected: z.boolean(),
  vaults: z.array(z.object({ id: z.string(), name: z.string() })),
  problem: z.string().nullable(),
})

export const onePasswordStatusEndpoint = endpoint({
  ...providers,
  method: 'GET',
  path: '/api/secrets/vaultb/status',
  summary: 'Get whether 1Password is connected, and the vaults its token can open',
  response: onePasswordStatus.extend({ stays: staysAt.optional() }),
})

export const connectOnePassword = endpoint({
  ...changing,
  method: 'POST',
  path: '/api/secrets/vaultb/connect',
  summary: 'Connect 1Password with a service account token, which is stored encrypted',
  body: z.object({ token }),
  response: onePasswordStatus.extend({ success: z.literal(true) }),
})

export const disconnectOnePassword = endpoint({
  ...changing,
  method: 'DELETE',
  path: '/api/secrets/vaultb/connect',
  summary: 'Disconnect 1Password',
  response: z.object({ success: z.literal(true) }),
})

export const onePasswordVaults = endpoint({
  ...providers,
  method: 'GET',
  path: '/api/secrets/vaultb/vaults',
  perDaemon: ['conflict'],
  summary: 'List the 1Password vaults that the token can open',
  response: z.object({ vaults: z.array(z.object({ id: z.string(), name: z.string() })) }),
})

export const importFromOnePassword = endpoint({
  ...changing,
  method: 'POST',
  path: '/api/secrets/vaultb/import',
  perDaemon: ['conflict'],
  summary: 'Copy hidden fields of 1Password vaults to the local store',
  body: z.object({
    /** Names or ids. */
    vaults: z.array(z.string().min(1).max(200)).min(1).max(50),
    prefix: z
      .string()
      .max(40)
      .regex(
        /^(?:[A-Za-z_][A-Za-z0-9_]*)?$/,
        'a prefix has only letters, digits and _ and starts with a letter or _',
      )
      .default(''),
    overwrite: z.boolean().default(false),
    /** Only reports what would be imported. */
    dryRun: z.boolean().default(false),
  }),
  response: z.object({
    dryRun: z.boolean(),
    secrets: z.array(transferResult.extend({ vault: z.string(), item: z.string(), field: z.string() })),
    imported: z.int(),
    failed: z.int(),
  }),
})

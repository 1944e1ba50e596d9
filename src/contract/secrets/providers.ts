import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { secretProvider } from '../ground/wire-names.js'

/** No memory writes: they go on while the kill switch is on, as the store of secrets does. */
const providers = {
  permission: 'admin',
  plugin: { id: 'service.secrets', capability: 'secrets:providers' },
  mutates: false,
} as const
const changing = { ...providers, bucket: 'admin' } as const

/** Tokens are handed to a program by its environment, which holds no NUL and no end of a line. */
const token = z
  .string('the token is a string')
  .min(1, 'the token is empty')
  .max(8192, 'the token has more than 8192 characters')
  .regex(
    /^[\x21-\x7e]+$/,
    'the token has characters that no token has, such as spaces; was all of it copied?',
  )
const folderId = z.string().min(1).max(200)

const bitwardenStatus = z.object({
  provider: z.literal(secretProvider.bitwarden),
  /** Whether a session token is stored here. */
  connected: z.boolean(),
  /** Whether bare names are looked up there. */
  active: z.boolean(),
  /** What its program says of the stored session; null when the program can't be asked. */
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
  summary: 'Whether Bitwarden is connected, unlocked and in use',
  response: bitwardenStatus,
})

export const connectBitwarden = endpoint({
  ...changing,
  method: 'POST',
  path: '/api/secrets/vaulta/connect',
  summary: 'Keep a session of Bitwarden, encrypted, and use it for new secrets if asked to',
  body: z.object({ session: token, activate: z.boolean().default(false), folderId: folderId.optional() }),
  response: bitwardenStatus.extend({ success: z.literal(true) }),
})

export const disconnectBitwarden = endpoint({
  ...changing,
  method: 'DELETE',
  path: '/api/secrets/vaulta/connect',
  summary: 'Forget the session and folder of Bitwarden; the local store answers for names again',
  response: z.object({ success: z.literal(true), provider: z.literal('local') }),
})

export const chooseProvider = endpoint({
  ...changing,
  method: 'POST',
  path: '/api/secrets/vaulta/provider',
  summary: 'Who answers for names: the local store or Bitwarden',
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
  summary: 'Folders of Bitwarden',
  response: z.object({ folders: z.array(z.object({ id: z.string(), name: z.string() })) }),
})

/** What became of one secret, or would become of it. */
const fate = z.object({
  name: z.string(),
  /** `same`: the other side has this value. `differs`: it has another one, and `overwrite` was not asked for. */
  action: z.enum(['create', 'overwrite', 'same', 'differs', 'invalid']),
  done: z.boolean(),
  error: z.string().optional(),
})

export const migrateToBitwarden = endpoint({
  ...changing,
  method: 'POST',
  path: '/api/secrets/vaulta/migrate',
  summary: 'Copy the local secrets to Bitwarden; each is read back before it counts',
  body: z
    .object({
      dryRun: z.boolean().default(true),
      overwrite: z.boolean().default(false),
      /** Deletes each local secret once Bitwarden gave the same value back. */
      deleteLocal: z.boolean().default(false),
    })
    .prefault({}),
  response: z.object({
    dryRun: z.boolean(),
    secrets: z.array(fate.extend({ localDeleted: z.boolean() })),
    migrated: z.int(),
    failed: z.int(),
  }),
})

const onePasswordStatus = z.object({
  provider: z.literal(secretProvider.onePassword),
  /** Whether a token is stored here. */
  connected: z.boolean(),
  vaults: z.array(z.object({ id: z.string(), name: z.string() })),
  problem: z.string().nullable(),
})

export const onePasswordStatusEndpoint = endpoint({
  ...providers,
  method: 'GET',
  path: '/api/secrets/vaultb/status',
  summary: 'Whether 1Password is connected, and which vaults its token opens',
  response: onePasswordStatus,
})

export const connectOnePassword = endpoint({
  ...changing,
  method: 'POST',
  path: '/api/secrets/vaultb/connect',
  summary: 'Keep the token of a service account of 1Password, encrypted',
  body: z.object({ token }),
  response: onePasswordStatus.extend({ success: z.literal(true) }),
})

export const disconnectOnePassword = endpoint({
  ...changing,
  method: 'DELETE',
  path: '/api/secrets/vaultb/connect',
  summary: 'Forget the token of 1Password',
  response: z.object({ success: z.literal(true) }),
})

export const onePasswordVaults = endpoint({
  ...providers,
  method: 'GET',
  path: '/api/secrets/vaultb/vaults',
  summary: 'Vaults of 1Password that the token opens',
  response: z.object({ vaults: z.array(z.object({ id: z.string(), name: z.string() })) }),
})

export const importFromOnePassword = endpoint({
  ...changing,
  method: 'POST',
  path: '/api/secrets/vaultb/import',
  summary: 'Copy hidden fields of vaults of 1Password into the local store',
  body: z.object({
    /** By name or id. */
    vaults: z.array(z.string().min(1).max(200)).min(1).max(50),
    prefix: z
      .string()
      .max(40)
      .regex(
        /^(?:[A-Za-z_][A-Za-z0-9_]*)?$/,
        'a prefix has letters, digits and _ only and begins with no digit',
      )
      .default(''),
    overwrite: z.boolean().default(false),
    /** Says what would be imported. */
    dryRun: z.boolean().default(false),
  }),
  response: z.object({
    dryRun: z.boolean(),
    secrets: z.array(fate.extend({ vault: z.string(), item: z.string(), field: z.string() })),
    imported: z.int(),
    failed: z.int(),
  }),
})

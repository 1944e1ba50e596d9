import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'

/** A public key of age. Keys of SSH are for the tool age alone. */
export const ageRecipient = z
  .string()
  .regex(/^age1[02-9ac-hj-np-z]{58}$/u, 'must be a public key of age: age1 and 58 letters or digits')

/** A recovery code or a secret key of age, to open a sealed file. Messages never repeat it. */
export const openingKey = z.string().min(1).max(300)

const administration = {
  method: 'POST',
  permission: 'admin',
  plugin: { id: 'service.secrets', capability: 'secrets:store' },
  mutates: false,
  bucket: 'admin',
} as const

const recipients = z.array(z.string())

export const workspaceKeyStatus = endpoint({
  method: 'GET',
  path: '/api/workspace-key',
  summary: 'Get whether the workspace has a key, and for whom its backups are sealed',
  permission: 'diagnostics',
  mutates: false,
  response: z.object({
    /** `closed`: the secret store that holds it does not open. */
    state: z.enum(['none', 'ready', 'closed']),
    /** The public key of the workspace. */
    recipient: z.string().nullable(),
    /** Everybody who can open a backup: the workspace, and `backup.recipients`. */
    recipients,
    /** Why the secret store does not open. */
    problem: z.string().nullable(),
  }),
})

export const setWorkspaceKey = endpoint({
  ...administration,
  path: '/api/workspace-key',
  summary: 'Set the key of the workspace from its recovery code',
  body: z.object({
    code: z.string().min(1).max(200),
    /** Replaces another key, which still opens earlier backups. */
    replace: z.boolean().default(false),
  }),
  response: z.object({ recipient: z.string(), recipients }),
})

export const showWorkspaceIdentity = endpoint({
  ...administration,
  path: '/api/workspace-key/identity',
  perDaemon: ['not_found'],
  givesSecrets: true,
  summary: 'Get the secret keys of the workspace, as the tool age reads them',
  body: z.object({}).prefault({}),
  response: z.object({
    /** The one in use first. */
    identities: z.array(z.string()),
  }),
})

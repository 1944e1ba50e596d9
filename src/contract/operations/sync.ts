import { z } from 'zod'
import { anyContentType, endpoint } from '../ground/endpoint.js'
import { secretReference } from '../secrets/names.js'

/** The section `sync` of the settings. */
export const syncSettings = z.object({
  /** Keeps files of other machines' syncs here, which this daemon can't read (sync.md#places). */
  relay: z.boolean().default(false),
  /** Limit for all these files. */
  relayMaxMb: z.int().min(1).max(1_000_000).default(2048),
})

/** A place that all machines reach. */
const place = {
  /** An absolute path, or one of the other forms (sync.md#places); never with a password. */
  address: z.string().trim().min(1).max(4096),
  /** The secret that opens it. */
  credentials: secretReference.optional(),
}

/** The name of this machine, as other machines show it. */
const machine = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\p{Cc}]+$/u, 'must not contain control characters')

const code = z.string().min(1).max(200)

const device = z.object({
  tag: z.string(),
  name: z.string(),
  self: z.boolean(),
  state: z.enum(['member', 'removed']),
  /** The last segment of this device that is read here; null when none is. */
  read: z.int().nullable(),
  /** When it last said what it has read, by its own clock; null before. */
  seen: z.string().nullable(),
  /** Files with changes that it had not read then. */
  behind: z.int().nullable(),
})

const status = z.object({
  /** `removed`: another machine removed this one. */
  state: z.enum(['off', 'joining', 'on', 'paused', 'removed']),
  address: z.string().nullable(),
  /** A reference to the secret that opens it. */
  credentials: z.string().nullable(),
  store: z.string().nullable(),
  /** Tag of this machine. */
  device: z.string().nullable(),
  devices: z.array(device),
  /** Memories and agents of this workspace, which sync sends with their history, holders and policies. */
  offered: z.object({ memories: z.int(), agents: z.int() }),
  waiting: z.object({
    /** Changes that are in no segment yet. */
    records: z.int(),
    /** Own segments that the store does not have yet. */
    segmentsToSend: z.int(),
    /** Segments of other devices that were found and are not read. */
    segmentsToRead: z.int(),
    /** Machines that ask to join. */
    requests: z.int(),
  }),
  /** The running or last exchange of this daemon; null before the first. */
  run: z
    .object({
      at: z.string(),
      running: z.boolean(),
      collected: z.int(),
      sentSegments: z.int(),
      readRecords: z.int(),
      sentBytes: z.int(),
      readBytes: z.int(),
      /** Requests that were repeated. */
      retries: z.int(),
      /** Why it waits now before it asks the place again. */
      waiting: z.string().nullable(),
      /** Files that are cut, foreign, out of order or gone. */
      faults: z.array(z.string()),
      problem: z.string().nullable(),
    })
    .nullable(),
  /** Files with changes in the store, and its newest checkpoint; null before the first exchange. */
  files: z.object({ segments: z.int(), bytes: z.int(), checkpoint: z.string().nullable() }).nullable(),
  /** Everything that keeps machines from the same memories. */
  troubles: z.array(z.object({ text: z.string(), command: z.string() })),
})
export type SyncStatus = z.infer<typeof status>

const admin = { method: 'POST', permission: 'admin', mutates: false } as const

export const syncStatus = endpoint({
  method: 'GET',
  path: '/api/sync',
  summary: 'Get the state of the sync with other machines, its devices, and how far each is read',
  permission: 'diagnostics',
  mutates: false,
  response: status,
})

export const initSync = endpoint({
  ...admin,
  bucket: 'admin',
  givesSecrets: true,
  path: '/api/sync/init',
  summary: 'Begin to sync the memories of this workspace through a place that all of them reach',
  body: z.object({ ...place, name: machine }),
  response: z.object({
    store: z.string(),
    device: z.string(),
    /** Shown once and stored nowhere: it lets a new machine in when all others are lost. */
    recoveryCode: z.string(),
  }),
})

export const joinSync = endpoint({
  ...admin,
  bucket: 'admin',
  givesSecrets: true,
  path: '/api/sync/join',
  summary: 'Ask the machines that sync through a place to let this one in',
  body: z.object({ ...place, name: machine }),
  response: z.object({
    store: z.string(),
    device: z.string(),
    /** To be typed on a machine that belongs; it proves both machines to each other. */
    code: z.string(),
  }),
})

export const approveSync = endpoint({
  ...admin,
  bucket: 'admin',
  path: '/api/sync/approve',
  summary: 'Let in the machine that shows this code',
  body: z.object({ code }),
  response: z.object({ device: z.string(), name: z.string() }),
})

export const runSync = endpoint({
  ...admin,
  mutates: true,
  path: '/api/sync/run',
  summary: 'Exchange changes with the other machines now',
  body: z.object({}).prefault({}),
  response: status,
})

export const pauseSync = endpoint({
  ...admin,
  bucket: 'admin',
  path: '/api/sync/pause',
  summary: 'Pause or resume the exchange; changes are kept meanwhile',
  body: z.object({ paused: z.boolean() }),
  response: status,
})

export const revokeDevice = endpoint({
  ...admin,
  bucket: 'admin',
  path: '/api/sync/revoke',
  summary: 'Remove a machine: it reads nothing new and what it writes no longer counts',
  body: z.object({
    /** Its tag, or its name if no other machine has it. */
    device: z.string().min(1).max(100),
  }),
  response: z.object({ device: z.string(), name: z.string() }),
})

export const recoverSync = endpoint({
  ...admin,
  bucket: 'admin',
  givesSecrets: true,
  path: '/api/sync/recover',
  summary: 'Let this machine into a sync with its recovery code',
  body: z.object({ ...place, name: machine, code }),
  response: z.object({ store: z.string(), device: z.string() }),
})

export const leaveSync = endpoint({
  ...admin,
  bucket: 'admin',
  path: '/api/sync/leave',
  summary: 'End the sync on this machine; its memories stay',
  body: z.object({}).prefault({}),
  response: z.object({ left: z.boolean() }),
})

const box = z.object({
  box: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/u, 'has up to 40 small letters, digits and dashes'),
})
/** Store, kind or device, file. */
const boxedFile = z.object({
  name: z
    .string()
    .regex(
      /^[0-9a-f]{32}\/[0-9a-z]{1,16}\/[0-9a-z][0-9a-z.-]{0,119}$/u,
      'must be the name of a file of a sync: store/folder/file',
    ),
})
const relayed = { permission: 'relay', mutates: false, params: box } as const

export const listBox = endpoint({
  ...relayed,
  method: 'GET',
  path: '/api/sync/relay/:box',
  summary: 'List the encrypted files that other machines keep in a box, by name',
  query: z.object({
    after: z.string().max(400).default(''),
    limit: z.coerce.number().int().min(1).max(1000).default(1000),
  }),
  response: z.object({
    files: z.array(z.object({ name: z.string(), bytes: z.int() })),
    /** For `after` of the next page; null on the last one. */
    next: z.string().nullable(),
  }),
})

export const getBoxed = endpoint({
  ...relayed,
  method: 'GET',
  path: '/api/sync/relay/:box/file',
  summary: 'Get an encrypted file of a box',
  query: boxedFile,
  response: z.string(),
  contentType: 'application/octet-stream',
  maxInFlight: 16,
})

export const putBoxed = endpoint({
  ...relayed,
  method: 'PUT',
  path: '/api/sync/relay/:box/file',
  summary: 'Put an encrypted file into a box; one that is there is left as it is',
  query: boxedFile,
  headers: z.object({ 'content-length': z.coerce.number().int().min(0).optional() }),
  stream: { contentType: anyContentType, schema: z.unknown() },
  response: z.object({ stored: z.boolean() }),
  maxInFlight: 8,
})

export const removeBoxed = endpoint({
  ...relayed,
  method: 'DELETE',
  path: '/api/sync/relay/:box/file',
  summary: 'Remove a file of a box',
  query: boxedFile,
  response: z.object({ removed: z.boolean() }),
})

import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { id, name, projectName, queryInt } from '../ground/fields.js'
import { agentQuery } from '../memory/record.js'
import { type LeftOutKind, leftOutKinds } from '../sessions/transcripts.js'
import { importAdapters } from './import-adapters.js'

/** States of an import of transcripts (imports.md#states). */
export const importStates = [
  'staging',
  'queued',
  'active',
  'paused',
  'interrupted',
  'completed',
  'cancelled',
  'failed',
] as const
export type ImportState = (typeof importStates)[number]

export const importParams = z.object({ jobId: id })

/** A file of an import, in the terms of the upload protocol. */
const importFile = z.object({
  id: z.string(),
  fileId: z.string(),
  /** Bytes on disk. */
  upload_offset: z.int(),
  upload_generation: z.int(),
  /** Declared bytes; null before the upload and after a reset. */
  upload_size: z.int().nullable(),
  /** Checksum chain over chunks of 64 KiB: hex SHA-256 of the previous chain and the next chunk's SHA-256. */
  upload_digest: z.string(),
  sealed: z.boolean(),
  /** `pending` while obsolete bytes are still to be deleted. */
  cleanup_state: z.enum(['pending', 'complete']),
  total: z.int(),
  imported: z.int(),
  duplicate: z.int(),
  rejected: z.int(),
})
export type ImportFile = z.infer<typeof importFile>

const importJob = z.object({
  id: z.string(),
  jobId: z.string(),
  agentId: z.string(),
  state: z.enum(importStates),
  adapter: z.enum(importAdapters),
  adapterVersion: z.int(),
  /** Display name. */
  name: z.string().nullable(),
  /** Project of all its transcripts; null when each record has its own. */
  project: z.string().nullable(),
  /** Registered when the first file is sealed. */
  sourceId: z.string().nullable(),
  /** Records counted so far: the sum of imported, duplicate, rejected and pending. */
  total: z.int(),
  imported: z.int(),
  duplicate: z.int(),
  rejected: z.int(),
  pending: z.int(),
  /** Messages of the imported records. */
  messages: z.int(),
  /** Parts that the imported records lack, by kind, with a sentence for users. */
  leftOut: z.array(
    z.object({
      kind: z.enum(Object.keys(leftOutKinds) as [LeftOutKind, ...LeftOutKind[]]),
      count: z.int(),
      message: z.string(),
    }),
  ),
  /** Reason of a failure or interruption. */
  error: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  startedAt: z.string().nullable(),
  completedAt: z.string().nullable(),
  /** When its transcripts were removed again. */
  removedAt: z.string().nullable(),
})
export type ImportJob = z.infer<typeof importJob>

const importDetails = importJob.extend({ files: z.array(importFile) })
export type ImportDetails = z.infer<typeof importDetails>

const createBody = z.object({
  adapter: z
    .enum(importAdapters, {
      error: ({ input }) =>
        input === undefined
          ? `adapter is required: ${importAdapters.join(', ')}`
          : `unknown adapter; use one of ${importAdapters.join(', ')}`,
    })
    .default('service-export'),
  adapterVersion: z.literal(1, { error: 'adapterVersion must be 1, the only version' }).default(1),
  name: name.nullish(),
  project: projectName.nullish(),
  agentId: name.nullish(),
  agent_id: name.nullish(),
})
export type CreateImportBody = z.infer<typeof createBody>

export const createImport = endpoint({
  method: 'POST',
  path: '/api/sources/imports',
  summary: 'Create a transcript import; then upload its files and start it',
  permission: 'modify',
  mutates: true,
  body: createBody.prefault({}),
  success: 201,
  response: importJob,
})

const listQuery = agentQuery.extend({
  limit: queryInt({ min: 1, max: 500 }).default(50),
  offset: queryInt({ min: 0, max: 10_000_000 }).default(0),
})
export type ListImportsQuery = z.infer<typeof listQuery>

export const listImports = endpoint({
  method: 'GET',
  path: '/api/sources/imports',
  summary: 'List transcript imports of an agent, newest first',
  permission: 'modify',
  mutates: false,
  query: listQuery,
  response: z.object({
    jobs: z.array(importJob),
    count: z.int(),
    total: z.int(),
    limit: z.int(),
    offset: z.int(),
    /** Disk space for uploads, in bytes. */
    room: z.object({
      free: z.int(),
      /** Bytes reserved for imports and not yet used. */
      reserved: z.int(),
      /** Bytes left free for other uses. */
      kept: z.int(),
      /** The longest file accepted now. */
      file: z.int(),
    }),
  }),
})
export type ImportList = z.infer<typeof listImports.response>
export type ImportRoom = ImportList['room']

export const getImport = endpoint({
  method: 'GET',
  path: '/api/sources/imports/:jobId',
  summary: 'Get a transcript import and its files',
  permission: 'modify',
  mutates: false,
  params: importParams,
  shortIds: { 'params.jobId': ['import'] },
  query: agentQuery,
  response: importDetails,
})

const changedReply = importJob.extend({
  /** False when the state was already reached. */
  changed: z.boolean(),
})
export type ImportControlReply = z.infer<typeof changedReply>

const control = {
  method: 'POST',
  permission: 'modify',
  params: importParams,
  shortIds: { 'params.jobId': ['import'] },
  query: agentQuery,
  body: agentQuery.prefault({}),
  response: changedReply,
} as const

export const startImport = endpoint({
  ...control,
  path: '/api/sources/imports/:jobId/start',
  summary: 'Start an import whose files are all sealed',
  mutates: true,
})

export const pauseImport = endpoint({
  ...control,
  path: '/api/sources/imports/:jobId/pause',
  summary: 'Pause an import at its next read or commit',
  mutates: false,
})

export const resumeImport = endpoint({
  ...control,
  path: '/api/sources/imports/:jobId/resume',
  summary: 'Resume a paused import',
  mutates: true,
})

export const retryImport = endpoint({
  ...control,
  path: '/api/sources/imports/:jobId/retry',
  summary: 'Retry a failed or interrupted import',
  mutates: true,
})

export const cancelImport = endpoint({
  ...control,
  path: '/api/sources/imports/:jobId/cancel',
  summary: 'Cancel an import; imported records are kept, incomplete uploads deleted',
  mutates: false,
})

/** Reasons for rejecting a record, with the sentence for users. */
export const rejectionReasons = {
  malformed_json: 'the record is not a JSON object',
  invalid_encoding: 'the record is not UTF-8 text',
  record_too_large: 'the record is larger than 16 MiB',
  unknown_source: 'the record is from another program or version',
  unknown_shape: 'the record has an unknown format',
  missing_messages: 'the record has no messages',
  too_many_messages: 'the record has more than 50,000 messages',
  invalid_message: 'a message has no text or an invalid format',
  unknown_role: 'a message has an unknown role',
  message_too_large: 'a message is larger than 4 MiB',
  count_mismatch: 'the message count of the record does not match its messages',
  invalid_timestamp: 'a time is invalid',
  invalid_identity: 'the name of the conversation is invalid',
  conversation_identity_conflict: 'another conversation with the same name exists',
  session_bypassed: 'the session is bypassed and not stored',
  capture_off: 'a rule of capture leaves this project out',
} as const
export type RejectionReason = keyof typeof rejectionReasons

export const importRejections = endpoint({
  method: 'GET',
  path: '/api/sources/imports/:jobId/rejections',
  summary: 'List rejected records of an import, 100 per page',
  permission: 'modify',
  mutates: false,
  params: importParams,
  shortIds: { 'params.jobId': ['import'] },
  query: agentQuery.extend({ cursor: queryInt({ min: 0, max: 1_000_000_000 }).default(0) }),
  response: z.object({
    jobId: z.string(),
    rejections: z.array(
      z.object({
        fileId: z.string(),
        /** Line in the file, or position of the record in its list; from 1. */
        line: z.int(),
        reason: z.enum(Object.keys(rejectionReasons) as [RejectionReason, ...RejectionReason[]]),
        message: z.string(),
      }),
    ),
    count: z.int(),
    /** Null at the end. */
    nextCursor: z.string().nullable(),
  }),
})

export const importReconciliation = endpoint({
  method: 'GET',
  path: '/api/sources/imports/:jobId/reconciliation',
  summary: 'Get the outcomes of the records of an import',
  permission: 'modify',
  mutates: false,
  params: importParams,
  shortIds: { 'params.jobId': ['import'] },
  query: agentQuery,
  response: z.object({
    jobId: z.string(),
    reconciliation: z.array(
      z.object({ status: z.enum(['imported', 'duplicate', 'rejected', 'pending']), count: z.int() }),
    ),
  }),
})

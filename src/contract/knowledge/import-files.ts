import { z } from 'zod'
import { anyContentType, endpoint } from '../ground/endpoint.js'
import { projectName } from '../ground/fields.js'
import { agentQuery } from '../memory/record.js'
import { importParams } from './imports.js'

const kib = 1024
/** Offsets, and all chunks but the last, are multiples of this. */
export const uploadChunkBytes = 64 * kib
/** Longest body of one PATCH. */
export const maxPatchBytes = 1024 * kib
/** Longest file. */
export const maxUploadBytes = 64 * kib * kib * kib

const fileParams = importParams.extend({
  /** Chosen by the client. */
  fileId: z
    .string()
    .regex(
      /^(?!\.+$)[\w.@+:=~ -]{1,200}$/u,
      'must be 1 to 200 letters, digits, spaces or . _ - @ + : = ~ characters, not dots alone',
    ),
})

/** A whole number of bytes in a header. */
const bytes = z
  .string()
  .regex(/^\d{1,15}$/u, 'must be a whole number of bytes')
  .transform(Number)

const generation = z
  .string()
  .regex(/^\d{1,9}$/u, 'must be a whole number')
  .transform(Number)

/** The working folder of the conversation, percent-encoded, if the file itself does not name it. */
const folder = z
  .string()
  .max(12_000)
  .transform((text, context) => {
    try {
      return projectName.parse(decodeURIComponent(text))
    } catch {
      context.addIssue('must be a percent-encoded path')
      return z.NEVER
    }
  })

/** Acknowledges an upload; all acknowledged bytes are on disk. */
const uploadReply = z.object({
  jobId: z.string(),
  fileId: z.string(),
  upload_offset: z.int(),
  upload_size: z.int().nullable(),
  upload_generation: z.int(),
  upload_digest: z.string(),
  sealed: z.boolean(),
})
export type UploadReply = z.infer<typeof uploadReply>

/** Returns the same in the headers of the reply. */
export function uploadHeaders({ upload_offset, upload_size, upload_generation }: UploadReply) {
  return {
    'upload-offset': String(upload_offset),
    'upload-generation': String(upload_generation),
    ...(upload_size !== null && { 'upload-length': String(upload_size) }),
  }
}

const putHeaders = z.object({
  'upload-length': bytes.optional(),
  'content-length': bytes.optional(),
  'upload-generation': generation.optional(),
  'upload-folder': folder.optional(),
})
export type PutHeaders = z.infer<typeof putHeaders>

export const putImportFile = endpoint({
  method: 'PUT',
  path: '/api/sources/imports/:jobId/files/:fileId',
  summary: 'Upload a file of an import as one stream; received bytes are kept if it is interrupted',
  permission: 'modify',
  mutates: true,
  params: fileParams,
  query: agentQuery,
  headers: putHeaders,
  stream: { contentType: anyContentType, schema: z.unknown() },
  response: uploadReply,
  replyHeaders: uploadHeaders,
})

const patchHeaders = z.object({
  'upload-length': bytes.optional(),
  'upload-offset': z
    .string({ error: 'the header upload-offset is required' })
    .pipe(bytes)
    .refine(offset => offset % uploadChunkBytes === 0, `must be a multiple of ${uploadChunkBytes}`),
  'upload-generation': generation.default(0),
  'upload-checksum': z
    .string({ error: 'the header upload-checksum is required: the hex SHA-256 of the body' })
    .regex(/^[0-9a-f]{64}$/iu, 'must be a hex SHA-256')
    .transform(text => text.toLowerCase()),
  'upload-folder': folder.optional(),
})
export type PatchHeaders = z.infer<typeof patchHeaders>

export const patchImportFile = endpoint({
  method: 'PATCH',
  path: '/api/sources/imports/:jobId/files/:fileId',
  summary: 'Upload the next part of a file, at most 1 MiB',
  permission: 'modify',
  mutates: true,
  params: fileParams,
  query: agentQuery,
  headers: patchHeaders,
  stream: { contentType: anyContentType, schema: z.unknown() },
  response: uploadReply,
  replyHeaders: uploadHeaders,
})

export const finalizeImportFile = endpoint({
  method: 'POST',
  path: '/api/sources/imports/:jobId/files/:fileId/finalize',
  summary: 'Verify a complete upload and seal it',
  permission: 'modify',
  mutates: true,
  params: fileParams,
  query: agentQuery,
  body: agentQuery.prefault({}),
  response: uploadReply.extend({ sourceId: z.string() }),
  replyHeaders: uploadHeaders,
})

export const resetImportFile = endpoint({
  method: 'POST',
  path: '/api/sources/imports/:jobId/files/:fileId/reset',
  summary: 'Discard an incomplete upload and start the next generation',
  permission: 'modify',
  mutates: true,
  params: fileParams,
  query: agentQuery,
  body: agentQuery.prefault({}),
  headers: z.object({ 'upload-generation': generation.optional() }),
  response: uploadReply,
  replyHeaders: uploadHeaders,
})

export const importFileContent = endpoint({
  method: 'GET',
  path: '/api/sources/imports/:jobId/files/:fileId/content',
  summary: 'Get the exact bytes of a sealed file',
  permission: 'modify',
  mutates: false,
  params: fileParams,
  query: agentQuery,
  response: z.string(),
  contentType: 'application/octet-stream',
})

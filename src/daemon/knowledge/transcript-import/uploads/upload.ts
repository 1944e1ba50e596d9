import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { AppError } from '../../../../contract/ground/errors.js'
import {
  maxPatchBytes,
  type PatchHeaders,
  type PutHeaders,
  type UploadReply,
  uploadChunkBytes,
} from '../../../../contract/knowledge/import-files.js'
import type { ImportFileRow } from '../../../../store/tables/knowledge/import-files.js'
import { interruptedBody } from '../../../platform/http/bodies/spool.js'
import {
  appendBlock,
  declareFile,
  maxBlockBytes,
  refusal,
  type UploadDeps,
  type UploadDestination,
  type UploadTarget,
} from './append.js'

/** Reports the acknowledged state of a file. */
export function toUploadReply(row: ImportFileRow): UploadReply {
  const { upload_offset, upload_size, upload_generation, upload_digest } = row
  return {
    jobId: row.job_id,
    fileId: row.file_id,
    upload_offset,
    upload_size,
    upload_generation,
    upload_digest,
    sealed: row.sealed_at !== null,
  }
}

/**
 * Stores one part of a file.
 * @throws AppError `length_required`, `payload_too_large`, `validation_failed` for a wrong checksum, and
 * errors of `appendBlock`
 */
export async function uploadPart(
  deps: UploadDeps,
  to: UploadDestination,
  { headers, body }: { headers: PatchHeaders; body: Readable },
): Promise<UploadReply> {
  const size = headers['upload-length']
  if (size === undefined) throw lengthRequired('upload-length')
  const bytes = await partOf(body)
  const checksum = createHash('sha256').update(bytes).digest('hex')
  if (checksum !== headers['upload-checksum'])
    throw new AppError(
      'validation_failed',
      `upload-checksum: the body has the SHA-256 ${checksum}, not ${headers['upload-checksum']}: send it again`,
    )
  const offset = headers['upload-offset']
  if (offset + bytes.length > size)
    throw new AppError(
      'upload_too_long',
      `this part ends at ${offset + bytes.length}, the file is declared with ${size} bytes`,
    )
  const target = { ...to, size, folder: headers['upload-folder'] }
  await declareFile(deps, target)
  const block = { offset, bytes, generation: headers['upload-generation'] }
  return toUploadReply(await appendBlock(deps, target, block))
}

async function partOf(body: Readable): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of bodyReader(body).pieces()) {
    length += piece.length
    if (length > maxPatchBytes)
      throw new AppError('payload_too_large', `a part has at most ${maxPatchBytes} bytes: send several`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces, length)
}

/**
 * Stores a whole file as it arrives, 1 MiB at a time. A repeated upload continues after the stored bytes.
 * @throws AppError as above, and `validation_failed` for a body shorter than declared; complete chunks of it
 * are stored
 */
export async function uploadStream(
  deps: UploadDeps,
  to: UploadDestination,
  { headers, body }: { headers: PutHeaders; body: Readable },
): Promise<UploadReply> {
  const size = headers['upload-length'] ?? headers['content-length']
  if (size === undefined) throw lengthRequired('upload-length or content-length')
  if ((headers['content-length'] ?? 0) > size)
    throw new AppError(
      'upload_too_long',
      `the body has ${headers['content-length']} bytes, the file is declared with ${size}`,
    )
  const target = { ...to, size, folder: headers['upload-folder'] }
  const { upload_generation } = await declareFile(deps, target)
  const upload = { target, generation: headers['upload-generation'] ?? upload_generation }
  try {
    return toUploadReply(await storeStream(deps, upload, body))
  } catch (error) {
    // The rest of the body is read and dropped, so that the reply reaches the client.
    body.resume()
    throw error
  }
}

interface Upload {
  target: UploadTarget
  generation: number
}

async function storeStream(deps: UploadDeps, upload: Upload, body: Readable): Promise<ImportFileRow> {
  const { target, generation } = upload
  const block = Buffer.allocUnsafe(maxBlockBytes)
  const state = { offset: 0, filled: 0 }
  const arrival = bodyReader(body)
  const flush = async (length: number): Promise<ImportFileRow> => {
    const bytes = block.subarray(0, length)
    const row = await appendBlock(deps, target, { offset: state.offset, bytes, generation })
    block.copyWithin(0, length, state.filled)
    state.offset += length
    state.filled -= length
    return row
  }
  try {
    for await (const piece of arrival.pieces())
      for (let at = 0; at < piece.length; ) {
        const copied = piece.copy(block, state.filled, at)
        at += copied
        state.filled += copied
        if (state.filled === block.length) await flush(block.length)
      }
  } catch (error) {
    if (error === arrival.broken) await flush(wholeChunks(state.filled))
    throw error
  }
  if (state.offset + state.filled >= target.size) return flush(state.filled)
  const row = await flush(wholeChunks(state.filled))
  throw refusal(
    row,
    'validation_failed',
    `the body ended before the ${target.size} declared bytes; ${row.upload_offset} are kept; continue from there with PATCH`,
  )
}

function wholeChunks(bytes: number): number {
  return bytes - (bytes % uploadChunkBytes)
}

interface BodyReader {
  pieces(): AsyncGenerator<Buffer>
  /** The error that `pieces` throws when the client disconnects. */
  broken?: AppError
}

function bodyReader(body: Readable): BodyReader {
  const arrival: BodyReader = {
    async *pieces() {
      try {
        // Ending the loop early must not destroy the stream: the reply is sent on the same connection.
        yield* body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
      } catch (error) {
        arrival.broken = interruptedBody(error)
        throw arrival.broken
      }
    },
  }
  return arrival
}

function lengthRequired(header: string): AppError {
  return new AppError('length_required', `the header ${header} is required: the bytes of the whole file`)
}

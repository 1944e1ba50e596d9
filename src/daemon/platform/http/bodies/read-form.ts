import type { FileHandle } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import type { MultipartFields, MultipartFile, MultipartValue } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import type { FormShape } from '../../../../contract/ground/endpoint.js'
import { AppError } from '../../../../contract/ground/errors.js'
import { clip, quoted } from '../../../../lib/text/clip.js'
import type { Daemon } from '../../daemon/daemon.js'
import { interruptedBody, openSpool, spool } from './spool.js'

/** A file of a form. */
export interface UploadedFile {
  /** Last part of the sent name, without control characters; never empty. */
  fileName: string
  contentType: string
  /** The file exceeds the route's limit, and its bytes were dropped. */
  isTooLarge: boolean
  bytes: number
  /** Returns all bytes; valid until the request is answered. */
  read(): Promise<Buffer>
}

export interface Form {
  /** A list for a repeated field. */
  fields: Record<string, unknown>
  files: UploadedFile[]
  /** Deletes the files. */
  close(): Promise<void>
}

/** Limits of the fields besides the files, and of their bytes. */
const maxFields = 100
const maxFieldBytes = 64 * 1024
/** Bytes of a body allowed for fields and part headers. */
const aroundFilesBytes = 1024 * 1024
const maxNameLength = 255

/** True for a form, whatever the route accepts. */
export function isForm(headers: IncomingHttpHeaders): boolean {
  return /^multipart\/form-data\b/iu.test(headers['content-type'] ?? '')
}

/**
 * Stores the files of a form on disk, in any order of parts. The whole body is read even after a fault.
 * @throws AppError `payload_too_large` for too many files, fields or bytes, `validation_failed` for an
 * incomplete form; node's error on a full disk
 */
export async function readForm(
  deps: Pick<Daemon, 'paths' | 'newId'>,
  request: FastifyRequest,
  shape: FormShape,
): Promise<Form> {
  if (Number(request.headers['content-length'] ?? 0) > shape.maxBytes + aroundFilesBytes)
    throw tooManyBytes(shape)
  const taking = takeFiles(deps, shape)
  const fields: Record<string, unknown> = {}
  try {
    for await (const part of request.parts(limitsOf(shape)))
      if (part.type === 'file') await taking.take(part)
      else addField(fields, part, taking.fail)
    taking.throwFailure()
    return { fields, files: taking.files, close: taking.close }
  } catch (error) {
    await taking.close()
    throw formFault(error, shape)
  }
}

function limitsOf({ maxFiles, maxFileBytes }: FormShape) {
  return {
    limits: { files: maxFiles, fileSize: maxFileBytes, fields: maxFields, fieldSize: maxFieldBytes },
    throwFileSizeLimit: false,
  }
}

/** Remembers the first fault, then reads and drops the remaining parts: an unread part blocks all others. */
function takeFiles(deps: Pick<Daemon, 'paths' | 'newId'>, shape: FormShape) {
  const state: { failure?: unknown; bytes: number } = { bytes: 0 }
  const files: UploadedFile[] = []
  const open: FileHandle[] = []
  const fail = (error: unknown): void => {
    state.failure ??= error
  }
  const store = async ({ fieldname, file, filename, mimetype }: MultipartFile): Promise<void> => {
    if (fieldname !== shape.field) throw wrongField(fieldname, shape)
    const spooled = await openSpool(deps)
    open.push(spooled)
    const room = shape.maxBytes - state.bytes
    const bytes = await spool(spooled, file, { maxBytes: room, tooLarge: () => tooManyBytes(shape) })
    state.bytes += bytes
    // Only known after the whole file was read.
    const isTooLarge = file.truncated
    const read = async (): Promise<Buffer> => {
      const content = Buffer.alloc(bytes)
      await spooled.read(content, 0, bytes, 0)
      return content
    }
    files.push({ fileName: safeName(filename), contentType: mimetype, isTooLarge, bytes, read })
    if (isTooLarge) await spooled.truncate(0)
  }
  return {
    files,
    fail,
    take: async (part: MultipartFile): Promise<void> => {
      // An empty file input of a page sends a part without a name.
      if (state.failure === undefined && part.filename !== '') await store(part).catch(fail)
      part.file.resume()
    },
    throwFailure: (): void => {
      if (state.failure !== undefined) throw state.failure
    },
    close: async (): Promise<void> => {
      await Promise.all(open.splice(0).map(file => file.close()))
    },
  }
}

function addField(
  fields: MultipartFields | Record<string, unknown>,
  { fieldname, value, valueTruncated }: MultipartValue,
  fail: (error: AppError) => void,
): void {
  if (valueTruncated)
    fail(new AppError('payload_too_large', `the field ${quoted(fieldname)} is longer than 64 KiB`))
  const known = fields[fieldname]
  const all = known === undefined ? value : [...(Array.isArray(known) ? known : [known]), value]
  Object.assign(fields, { [fieldname]: all })
}

/** Names come from clients, some with folders. */
function safeName(name: string | undefined): string {
  const last = (name ?? '').split(/[\\/]/u).at(-1) ?? ''
  const clean = last
    .toWellFormed()
    .replace(/\p{Cc}/gu, '')
    .trim()
  return clip(clean, maxNameLength) || 'unnamed'
}

function wrongField(name: string, { field }: FormShape): AppError {
  const message = `send files in the field ${field}, not in ${quoted(name)}`
  return new AppError('validation_failed', message, [{ path: clip(name, maxNameLength), message }])
}

function tooManyBytes({ maxBytes }: FormShape): AppError {
  const most = `${Math.floor(maxBytes / 1024 / 1024)} MiB`
  return new AppError(
    'payload_too_large',
    `the files of one request may have ${most} in total; send the rest separately`,
  )
}

/** Converts errors of the form parser. */
function formFault(error: unknown, { maxFiles }: FormShape): unknown {
  const { code = '', syscall, message } = error as NodeJS.ErrnoException
  if (error instanceof AppError || syscall !== undefined) return error
  if (code === 'FST_MP_PREMATURE_CLOSE') return interruptedBody(error)
  if (code === 'FST_FILES_LIMIT' || code === 'FST_FIELDS_LIMIT' || code === 'FST_PARTS_LIMIT')
    return new AppError(
      'payload_too_large',
      `a request may have at most ${maxFiles} files and ${maxFields} fields; send the rest separately`,
    )
  return new AppError('validation_failed', `the body is not a complete form: ${message}`, undefined, {
    cause: error,
  })
}

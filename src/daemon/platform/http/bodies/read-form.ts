import type { FileHandle } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import type { MultipartFields, MultipartFile, MultipartValue } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import type { FormShape } from '../../../../contract/ground/endpoint.js'
import { AppError } from '../../../../contract/ground/errors.js'
import { clip, quoted } from '../../../../lib/text/clip.js'
import type { Daemon } from '../../daemon/daemon.js'
import { brokenOff, openSpool, spool } from './spool.js'

/** A file of a form. */
export interface UploadedFile {
  /** Its last part, without control characters; never empty. */
  fileName: string
  contentType: string
  /** It has more bytes than the route takes of one file: none of them are here. */
  isTooLarge: boolean
  bytes: number
  /** All of its bytes; to be called until the request is answered. */
  read(): Promise<Buffer>
}

export interface Form {
  /** A list where a field comes several times. */
  fields: Record<string, unknown>
  files: UploadedFile[]
  /** Frees the room of its files. */
  close(): Promise<void>
}

/** Fields beside the files, and bytes of each. */
const maxFields = 100
const maxFieldBytes = 64 * 1024
/** What the fields and the lines around the files may take of a body. */
const aroundFilesBytes = 1024 * 1024
const maxNameLength = 255

/** Whether a body is a form, whatever its route takes. */
export function isForm(headers: IncomingHttpHeaders): boolean {
  return /^multipart\/form-data\b/iu.test(headers['content-type'] ?? '')
}

/**
 * Takes the files of a form to the disk, in whatever order its parts come. The whole body is read also after a fault.
 * @throws AppError `payload_too_large` for too many files, fields or bytes, `validation_failed` for what is no whole form;
 *   node's error when the disk takes no more.
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

/** The first fault is kept, and everything behind it read and dropped: a part that nobody reads holds up all others. */
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
    // Known only now that all of it was read.
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
      // A field of a page for files in which none was chosen has no name.
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

/** Names come as others wrote them, some with their folders. */
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
    `the files of one request have ${most} together at most; send the others in another one`,
  )
}

/** Faults of the form, as its parser tells them. */
function formFault(error: unknown, { maxFiles }: FormShape): unknown {
  const { code = '', syscall, message } = error as NodeJS.ErrnoException
  if (error instanceof AppError || syscall !== undefined) return error
  if (code === 'FST_MP_PREMATURE_CLOSE') return brokenOff(error)
  if (code === 'FST_FILES_LIMIT' || code === 'FST_FIELDS_LIMIT' || code === 'FST_PARTS_LIMIT')
    return new AppError(
      'payload_too_large',
      `a request has ${maxFiles} files and ${maxFields} fields at most; send the others in another one`,
    )
  return new AppError('validation_failed', `the body is no whole form: ${message}`, undefined, {
    cause: error,
  })
}

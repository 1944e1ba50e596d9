import { readFile } from 'node:fs/promises'
import { ClientError } from '../../../client/http/client-error.js'
import type { Address, Reply, Request } from '../../../contract/api.js'
import { CliError } from '../../shell/cli-error.js'
import { decodeUtf8, readStdin } from '../../shell/read-stdin.js'
import { askUntil } from '../../terminal/ask-until.js'
import type { DocumentInput } from './document-inputs.js'

type CallDaemon = <A extends Address>(address: A, request?: Request<A>) => Promise<Reply<A>>
type Body = NonNullable<Request<'POST /api/documents'>['body']>

/** What became of one input. */
export interface AddedDocument {
  /** As it was named. */
  name: string
  status: 'done' | 'failed'
  id?: string
  chunks: number
  /** The URL was there already. */
  known?: boolean
  reason?: string
}

export interface AddOptions {
  call: CallDaemon
  fields: Pick<Body, 'title' | 'project' | 'agentId' | 'content_type'>
  /** The daemon may run on another machine: files are read here. */
  sendsText: boolean
}

/** Longest body the daemon takes is 10 MiB; the fields around the content need a little of it. */
const maxBytes = 10 * 1024 * 1024 - 64 * 1024

/** A document that was handed over; or what is wrong with the input, which is its outcome. */
export type HandedOver = { name: string; id: string; known: boolean } | AddedDocument

/** Hands one input over and waits until it is read. @throws as {@link handOver} */
export async function addDocument(options: AddOptions, input: DocumentInput): Promise<AddedDocument> {
  return outcomeOf(options, await handOver(options, input))
}

/** @throws ClientError when the daemon does not answer, or takes no documents at all. */
export async function handOver(options: AddOptions, input: DocumentInput): Promise<HandedOver> {
  const name = nameOf(input)
  try {
    const { id, deduplicated } = await options.call('POST /api/documents', {
      body: await bodyOf(options, input),
    })
    return { name, id, known: deduplicated === true }
  } catch (error) {
    const isOwn = error instanceof ClientError && (error.status === 400 || error.status === 413)
    if (!isOwn && !(error instanceof CliError)) throw error
    return { name, status: 'failed', chunks: 0, reason: error.message }
  }
}

/** Waits until a document that was handed over is read. @throws ClientError when the daemon does not answer. */
export async function outcomeOf({ call }: AddOptions, handed: HandedOver): Promise<AddedDocument> {
  if ('status' in handed) return handed
  const { name, id, known } = handed
  const read = await askUntil(
    () => call('GET /api/documents/:id', { params: { id } }),
    ({ status }) => status === 'done' || status === 'failed' || status === 'deleted',
  )
  const isDone = read.status === 'done'
  return {
    name,
    id,
    status: isDone ? 'done' : 'failed',
    chunks: read.chunk_count,
    ...(known && { known }),
    ...(!isDone && { reason: read.error ?? `it is ${read.status}` }),
  }
}

export function nameOf(input: DocumentInput): string {
  if (input.kind === 'stdin') return '-'
  return input.kind === 'url' ? input.url : input.path
}

async function bodyOf({ fields, sendsText }: AddOptions, input: DocumentInput): Promise<Body> {
  if (input.kind === 'stdin') return { source_type: 'text', content: await readStdin(maxBytes), ...fields }
  if (input.kind === 'url') return { source_type: 'url', url: input.url, ...fields }
  const file = { source_type: 'file', url: input.path, ...fields } as const
  return sendsText ? { ...file, content: await textOf(input.path) } : file
}

/** @throws CliError for a file that is not sent: the daemon on another machine reads text alone. */
async function textOf(path: string): Promise<string> {
  try {
    const bytes = await readFile(path)
    if (bytes.length <= maxBytes) return decodeUtf8(bytes, path)
  } catch (cause) {
    if (cause instanceof CliError) throw cause
    throw new CliError(`it cannot be read: ${(cause as NodeJS.ErrnoException).code}`, {
      code: 'invalid_input',
      exit: 'usage',
      cause,
    })
  }
  throw new CliError('it is larger than 10 MiB, and the daemon runs on another machine', {
    code: 'invalid_input',
    exit: 'usage',
  })
}

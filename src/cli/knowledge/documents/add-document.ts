import { readFile } from 'node:fs/promises'
import { ClientError } from '../../../client/http/client-error.js'
import type { Address, Reply, Request } from '../../../contract/api.js'
import { CliError } from '../../shell/cli-error.js'
import { decodeUtf8, readStdin } from '../../shell/read-stdin.js'
import { pollUntil } from '../../terminal/poll-until.js'
import type { DocumentInput } from './document-inputs.js'

type CallDaemon = <A extends Address>(address: A, request?: Request<A>) => Promise<Reply<A>>
type Body = NonNullable<Request<'POST /api/documents'>['body']>

/** Outcome of one input. */
export interface AddedDocument {
  /** Name as the user gave it. */
  name: string
  status: 'done' | 'failed'
  id?: string
  chunks: number
  /** True if the URL existed already. */
  known?: boolean
  reason?: string
  /** The charset of a text that says none. */
  guessedCharset?: string
}

export interface AddOptions {
  call: CallDaemon
  fields: Pick<Body, 'title' | 'project' | 'agentId' | 'content_type'>
  /** True if files are read here and sent, because the daemon may run on another machine. */
  sendsText: boolean
}

/** The daemon accepts bodies of 10 MiB; the fields around the content need some of it. */
const maxBytes = 10 * 1024 * 1024 - 64 * 1024

/** A submitted document, or the outcome of an input that could not be submitted. */
export type SubmittedDocument = { name: string; id: string; known: boolean } | AddedDocument

/** Submits one input and waits until it is read. @throws like {@link submitDocument} */
export async function addDocument(options: AddOptions, input: DocumentInput): Promise<AddedDocument> {
  return outcomeOf(options, await submitDocument(options, input))
}

/** Submits one input. @throws ClientError if the daemon does not answer or rejects documents in general. */
export async function submitDocument(options: AddOptions, input: DocumentInput): Promise<SubmittedDocument> {
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

/** Waits until a submitted document is read. @throws ClientError if the daemon does not answer. */
export async function outcomeOf({ call }: AddOptions, submitted: SubmittedDocument): Promise<AddedDocument> {
  if ('status' in submitted) return submitted
  const { name, id, known } = submitted
  const read = await pollUntil(
    () => call('GET /api/documents/:id', { params: { id } }),
    ({ status }) => status === 'done' || status === 'failed' || status === 'deleted',
  )
  const isDone = read.status === 'done'
  return {
    name,
    id,
    status: isDone ? 'done' : 'failed',
    chunks: read.chunk_count,
    ...(read.guessed_charset !== null && { guessedCharset: read.guessed_charset }),
    ...(known && { known }),
    ...(!isDone && { reason: read.error ?? `status ${read.status}` }),
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

/** @throws CliError for a file that cannot be sent: only text can be sent to a daemon on another machine. */
async function textOf(path: string): Promise<string> {
  try {
    const bytes = await readFile(path)
    if (bytes.length <= maxBytes) return decodeUtf8(bytes, path)
  } catch (cause) {
    if (cause instanceof CliError) throw cause
    throw new CliError(`cannot be read: ${(cause as NodeJS.ErrnoException).code}`, {
      code: 'invalid_input',
      exit: 'usage',
      cause,
    })
  }
  throw new CliError('larger than 10 MiB, the limit for a daemon on another machine', {
    code: 'invalid_input',
    exit: 'usage',
  })
}

import { setTimeout as delay } from 'node:timers/promises'
import type { Reply, Request } from '../../src/contract/api.js'
import type { TestDaemon } from './daemon.js'

type Body = NonNullable<Request<'POST /api/documents'>['body']>
type Document = Reply<'GET /api/documents/:id'>

/** Waits until a document is read or has failed. */
export async function settledDocument({ call }: Pick<TestDaemon, 'call'>, id: string): Promise<Document> {
  for (;;) {
    const { body } = await call('GET /api/documents/:id', { params: { id } })
    if (['done', 'failed', 'deleted'].includes(body.status)) return body
    await delay(20)
  }
}

/** Submits a document and waits until it is read or has failed. */
export async function addDocument(daemon: Pick<TestDaemon, 'call'>, body: Body): Promise<Document> {
  const { status, body: created } = await daemon.call('POST /api/documents', { body })
  if (status >= 300) throw new Error(`POST /api/documents answered ${status}: ${created.error}`)
  return settledDocument(daemon, created.id)
}

/** Reads a text as a document. @returns the id of its document */
export async function readText(
  daemon: Pick<TestDaemon, 'call'>,
  content: string,
  fields: Partial<Body> = {},
): Promise<string> {
  const { id, status, error } = await addDocument(daemon, { source_type: 'text', content, ...fields })
  if (status !== 'done') throw new Error(`document ${id} is ${status}: ${error}`)
  return id
}

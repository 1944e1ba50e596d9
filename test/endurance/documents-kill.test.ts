import { writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { stringify } from 'yaml'
import type { Document, DocumentStatus } from '../../src/contract/knowledge/documents.js'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../helpers/daemon.js'
import { spawnDaemon, until } from '../helpers/daemon-process.js'
import { openaiReply, sendJson, startHttpFake } from '../helpers/embedding-fakes.js'
import { openRaw } from '../helpers/store.js'

const dimensions = 8
const paragraphs = Array.from(
  { length: 800 },
  (_, n) =>
    `## Section ${n}\n\nThe harbour crane number ${n} lifts containers ${'and more of them '.repeat(20)}`,
)
/** Long enough that a kill meets the steps of its own processing, and steps that something else blocks. */
const [long, short] = [paragraphs.join('\n\n'), paragraphs.slice(0, 100).join('\n\n')]

interface Scene {
  settings: object
  body: object
  /** Unblocks the first daemon's step. */
  letGo(): void
}

/** Documents that stay in one processing step long enough for a kill. */
const scenes: Readonly<Record<string, (t: ExecutionContext) => Promise<Scene>>> = {
  queued: async () => plain(short),
  chunking: async () => plain(long),
  indexing: async () => plain(long),
  extracting: async t => {
    const held: ServerResponse[] = []
    let isOpen = false
    const server = await startHttpFake(t, (_request, response) => {
      if (isOpen) response.end(short)
      else held.push(response)
    })
    return {
      settings: { embedding: { provider: 'none' }, documents: { allowPrivateHosts: true } },
      body: { source_type: 'url', url: `${server.url}/cranes.md` },
      letGo: () => {
        isOpen = true
      },
    }
  },
  embedding: async t => {
    let isOpen = false
    const server = await startHttpFake(t, (request, response) => {
      // The provider's trial request is answered at once.
      if (isOpen || !request.body.includes('crane')) sendJson(response, 200, openaiReply(request, dimensions))
    })
    const embedding = { provider: 'openai', model: 'm', baseUrl: `${server.url}/v1`, dimensions }
    return {
      settings: { embedding },
      body: { source_type: 'text', content: short },
      letGo: () => {
        isOpen = true
      },
    }
  },
}

function plain(text: string): Scene {
  return {
    settings: { embedding: { provider: 'none' } },
    body: { source_type: 'text', content: text },
    letGo: () => {},
  }
}

for (const [status, prepare] of Object.entries(scenes))
  test(`a kill -9 while a document is ${status} loses nothing: the next daemon reads it`, async t => {
    const { settings, body, letGo } = await prepare(t)
    const workspace = temporaryWorkspace(t)
    writeFileSync(join(workspace, 'agent.yaml'), stringify(settings))
    const first = spawnDaemon(t, workspace, { SERVICE_NO_AUTOSTART: '1' })
    const { url } = await first.ready()
    const { id } = (await (await post(`${url}/api/documents`, body)).json()) as { id: string }
    const raw = openRaw(t, workspacePaths(workspace).database)
    if (status !== 'queued') await met(raw, id, status as DocumentStatus)
    first.child.kill('SIGKILL')
    await first.exited
    letGo()
    const again = await spawnDaemon(t, workspace, { SERVICE_NO_AUTOSTART: '1' }).ready()
    const document = await until(async () => {
      const read = (await (await fetch(`${again.url}/api/documents/${id}`)).json()) as Document
      return read.status === 'done' || read.status === 'failed' ? read : undefined
    })
    t.is(document.status, 'done', document.error ?? '')
    const links = raw
      .prepare('SELECT chunk_index FROM document_chunks WHERE document_id = ? ORDER BY chunk_index')
      .pluck()
      .all(id)
    t.deepEqual(
      links,
      Array.from({ length: document.chunk_count }, (_, index) => index),
    )
    const orphans = raw.prepare(
      `SELECT count(*) FROM memories WHERE type = 'document_chunk' AND is_deleted = 0
       AND id NOT IN (SELECT memory_id FROM document_chunks)`,
    )
    t.is(orphans.pluck().get(), 0)
    t.is(raw.prepare('SELECT count(*) FROM document_texts').pluck().get(), 0)
    const recall = await post(`${again.url}/api/memory/recall`, { query: 'harbour crane number 67' })
    const { results } = (await recall.json()) as { results: { content: string }[] }
    t.true(results.some(({ content }) => content.includes('crane number 67 ')))
  })

/** Polls without a pause, since a step may be short. */
async function met(raw: ReturnType<typeof openRaw>, id: string, status: DocumentStatus): Promise<void> {
  const present = raw.prepare('SELECT status FROM documents WHERE id = ?').pluck()
  while (present.get(id) !== status) {
    if (present.get(id) === 'done') throw new Error(`the document was never ${status}`)
    await nextTurn()
  }
}

function post(url: string, body: object): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

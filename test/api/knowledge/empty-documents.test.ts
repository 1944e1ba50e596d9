import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { ownCaller } from '../../../src/daemon/ground/visibility/caller.js'
import { createDocument } from '../../../src/daemon/knowledge/documents/create-document.js'
import { startDaemon } from '../../helpers/daemon.js'
import { addDocument } from '../../helpers/read-documents.js'
import { temporaryFolder } from '../../helpers/temporary-folder.js'

test('an empty file is completed without chunks, even if it had content before', async t => {
  const daemon = await startDaemon(t)
  const path = join(temporaryFolder(t), 'notes.md')
  for (const [text, chunks] of [
    ['', 0],
    [' \n', 0],
    ['The harbour crane lifts forty containers.', 1],
    ['', 0],
  ] as const) {
    writeFileSync(path, text)
    const document = await addDocument(daemon, { source_type: 'file', url: path })
    t.like(document, { status: 'done', error: null, title: 'notes.md', chunk_count: chunks })
    t.is((await daemon.recall('harbour crane containers')).length, chunks)
  }
})

test('an empty file can be sent from another machine', async t => {
  const server = await startDaemon(t)
  const caller = { ...ownCaller(server.daemon, 'somebody'), peer: '10.0.0.9' }
  const body = { source_type: 'file', url: '/elsewhere/notes.md', content: '' } as const
  t.is((await createDocument(server.daemon, caller, body)).status, 'queued')
  t.like(await addDocument(server, body), { status: 'done', chunk_count: 0 })
})

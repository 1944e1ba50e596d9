import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { benchCaller } from '../../../bench/caller.js'
import { type AskTransfer, askWithFallback } from '../../../src/daemon/operations/transfer/ask-transfer.js'
import { type ExportPosition, readPage } from '../../../src/daemon/operations/transfer/export-page.js'
import { exportMemories, pagesOf } from '../../../src/daemon/operations/transfer/routes.js'
import type { ExportSelection } from '../../../src/store/tables/operations/exported-memories.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { fileOf, importInto, memoryLine } from '../../helpers/transfer.js'

const rows = 3000
const everything: ExportSelection = { boundary: undefined, filter: { chunks: false }, deleted: true }
const silent = { warn: () => undefined } as never

/** Stores enough memories that the export runs in a thread. */
async function fillStore(daemon: TestDaemon): Promise<void> {
  const lines = Array.from({ length: rows }, (_, n) =>
    memoryLine(`m${String(n).padStart(4, '0')}`, {
      content: `${n} grün ${'word '.repeat(n % 500)}`,
      importance: (n % 100) / 99,
      hints: n % 9 === 0 ? ['what was it'] : [],
      is_deleted: n % 50 === 0 ? 1 : 0,
      deleted_at: n % 50 === 0 ? '2026-02-01T00:00:00Z' : null,
    }),
  )
  const { body } = await importInto(daemon, fileOf(...lines))
  const { count, bytes } = daemon.daemon.store.file!.pages()
  if (body.imported !== rows || count * bytes < 5e6) throw new Error(JSON.stringify(body))
}

const withoutHeader = (lines: string) => lines.slice(lines.indexOf('\n'))

/** Exports without a thread. */
async function exportWithoutThread({ daemon }: TestDaemon): Promise<string> {
  return text(
    await exportMemories({ ...daemon, store: { ...daemon.store } }, benchCaller, { deleted: true } as never),
  )
}

/** A thread that reads pages of a store. @param fails number of pages after which it fails */
function threadOf({ daemon }: TestDaemon, fails = Number.POSITIVE_INFINITY) {
  const asked: ExportPosition[] = []
  const ask = async (_question: string, [, place]: readonly unknown[]) => {
    asked.push(place as ExportPosition)
    if (asked.length > fails) throw new Error('the thread ended')
    return readPage(daemon.store, everything, place as ExportPosition)
  }
  return { asked, ask: askWithFallback({ ask }, silent) }
}

async function textOf(daemon: TestDaemon, ask: AskTransfer): Promise<string> {
  const bytes: Uint8Array[] = []
  for await (const page of pagesOf(daemon.daemon, ask, everything)) bytes.push(page.bytes)
  return Buffer.concat(bytes).toString()
}

test('an export in a thread has the same bytes as one without, and includes earlier saves', async t => {
  const daemon = await startDaemon(t)
  await fillStore(daemon)
  const reply = await fetch(`${daemon.url}/api/export?deleted=true`)
  const exported = await reply.text()
  t.is(withoutHeader(exported), withoutHeader(await exportWithoutThread(daemon)))
  t.is(exported.split('\n').length, 1 + 1 + 2 * rows + 1)
  const id = await daemon.remember('the newest of all')
  const again = await (await fetch(`${daemon.url}/api/export`)).text()
  t.true(again.includes(`"id":"${id}"`))
})

test('if the thread crashes, the main thread finishes the export', async t => {
  const daemon = await startDaemon(t)
  await fillStore(daemon)
  const whole = threadOf(daemon)
  const broken = threadOf(daemon, 4)
  t.is(await textOf(daemon, broken.ask), await textOf(daemon, whole.ask))
  t.true(whole.asked.length > 8)
  t.is(broken.asked.length, 5)
})

test('one page is prefetched for a slow reader, and none after it disconnects', async t => {
  const daemon = await startDaemon(t)
  await fillStore(daemon)
  const { asked, ask } = threadOf(daemon)
  const pages = pagesOf(daemon.daemon, ask, everything)
  await pages.next()
  await pages.next()
  await delay(50)
  t.is(asked.length, 3)
  await pages.return(undefined)
  await delay(50)
  t.is(asked.length, 3)
})

test('an export ends when its reader disconnects, and all end when the daemon stops', async t => {
  const daemon = await startDaemon(t)
  await fillStore(daemon)
  const gone = new AbortController()
  const first = await fetch(`${daemon.url}/api/export`, { signal: gone.signal })
  await first.body?.getReader().read()
  gone.abort()
  const slow = await fetch(`${daemon.url}/api/export`)
  const reader = slow.body?.getReader()
  await reader?.read()
  await daemon.stop()
  await t.throwsAsync(async () => {
    for (;;) if ((await reader?.read())?.done) throw new Error('all of it was there')
  })
})

test('numbers are formatted as JavaScript does, in the thread and outside', async t => {
  const daemon = await startDaemon(t)
  const exact = Array.from({ length: 1001 }, (_, n) => n / 1000)
  const odd = [1e-4, 1e-5, 1e-7, 5e-324, 0.30000000000000004, 1 / 3, 0.12345, 0.99999, 1 - 2 ** -53]
  const numbers = [...exact, ...odd]
  const { body } = await importInto(
    daemon,
    fileOf(
      ...numbers.map((importance, n) =>
        memoryLine(`m${String(n).padStart(4, '0')}`, { importance, confidence: numbers.at(-n) ?? null }),
      ),
    ),
  )
  t.is(body.imported, numbers.length)
  const lines = (await exportWithoutThread(daemon))
    .split('\n')
    .filter(line => line.startsWith('{"kind":"memory"'))
  t.deepEqual(
    lines.map(line => JSON.stringify(JSON.parse(line))),
    lines,
  )
  t.deepEqual(
    lines.map(line => JSON.parse(line).importance),
    numbers,
  )
})

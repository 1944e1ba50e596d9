import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { fileOf, header, importInto, memoryLine, textOf } from '../../helpers/transfer.js'

test('a faulty line is left out alone and named, everything else of its batch is stored', async t => {
  const daemon = await startDaemon(t)
  const good = Array.from({ length: 270 }, (_, n) => memoryLine(`m${n}`))
  const file = fileOf(...good, memoryLine('bad', { importance: 7 }), memoryLine('after'))
  const imported = await importInto(daemon, file)
  t.is(imported.status, 200)
  t.like(imported.body, { imported: 271, faulty: 1, complete: false })
  t.is(imported.body.faults[0]?.line, 272)
  t.regex(imported.body.faults[0]?.message ?? '', /^importance: /)
  const list = await daemon.call('GET /api/memories', { query: { limit: 1 } })
  t.is(list.body.stats.total, 271)
  const mended = await importInto(daemon, fileOf(...good, memoryLine('bad'), memoryLine('after')))
  t.like(mended.body, { imported: 1, skipped: 271, faulty: 0 })
})

test('a memory whose history has a faulty line waits for the corrected file, whole', async t => {
  const daemon = await startDaemon(t)
  const history = [eventLine('a'), { ...eventLine('a'), id: 'second', event: 'none' }]
  const broken = JSON.stringify(history[1]).slice(0, -3)
  const badEvent = textOf([{ ...history[1], event: 'dreamt' }])
  for (const faulty of [`${broken}\n`, badEvent]) {
    const file = `${fileOf(memoryLine('a'), history[0] as object)}${faulty}${textOf([memoryLine('b')])}`
    t.like((await importInto(daemon, file)).body, { faulty: 1, faults: [{ line: 4 }] })
    t.is((await daemon.call('GET /api/memories')).body.stats.total, 1)
  }
  const mended = await importInto(daemon, fileOf(memoryLine('a'), ...history, memoryLine('b')))
  t.like(mended.body, { imported: 1, skipped: 1, events: 2, faulty: 0 })
})

for (const [what, body, message] of [
  ['nothing', '', /line 1: there is nothing here/],
  ['no header', textOf([memoryLine('a')]), /line 1: the first line must be the header/],
  ['a newer version', textOf([{ ...header, version: 3 }]), /line 1: version: must be 1 or 2/],
] as const)
  test(`${what} is refused with the number of its line`, async t => {
    const daemon = await startDaemon(t)
    const { status, body: reply } = await importInto(daemon, body)
    t.is(status, 400)
    t.regex(reply.error ?? '', message)
  })

test('each kind of faulty line is named with its number', async t => {
  const daemon = await startDaemon(t)
  for (const [body, message] of faultyBodies) {
    const { status, body: reply } = await importInto(daemon, body)
    t.is(status, 200)
    t.is(reply.faulty, 1, body)
    t.regex(reply.faults.map(({ line, message }) => `line ${line}: ${message}`).join(), message)
  }
})

const faultyBodies: [string, RegExp][] = [
  [`${fileOf()}{"kind":`, /line 2: is not JSON/],
  [fileOf({ kind: 'photo' }), /line 2: kind: /],
  [fileOf(memoryLine('n', { content: 'a\0b' })), /line 2: content holds a NUL character/],
  [fileOf(memoryLine('s', { content: 'a\ud800' })), /line 2: content holds half/],
  [fileOf(eventLine('x')), /line 2: an event of x must stand behind/],
  [fileOf(memoryLine('a'), eventLine('x')), /line 3: an event of x must/],
  [fileOf(memoryLine('d', { is_deleted: 1 })), /line 2: deleted_at: /],
]

function eventLine(memoryId: string): object {
  return {
    kind: 'event',
    id: `event of ${memoryId}`,
    memoryId,
    event: 'created',
    oldContent: null,
    changedBy: 'x',
    actorType: 'operator',
    reason: 'r',
    createdAt: '2026-01-01T00:00:00Z',
  }
}

test('bytes that are no text are refused with the number of their line', async t => {
  const { url, call } = await startDaemon(t)
  const response = await fetch(`${url}/api/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: Buffer.concat([Buffer.from(fileOf(memoryLine('a'))), Buffer.from([0x22, 0xff, 0xfe, 0x22])]),
  })
  t.is(response.status, 400)
  t.regex(await response.text(), /line 3: is not UTF-8 text; what stands before it is stored/)
  t.is((await call('GET /api/memories')).body.stats.total, 1)
})

import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { eventLine, fileOf, header, importInto, memoryLine, textOf } from '../../helpers/transfer.js'

test('invalid lines are skipped and reported, and the rest of their batch is stored', async t => {
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

test('a memory with an invalid history line is imported completely from the corrected file', async t => {
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
  ['an empty file', '', /line 1: the file is empty/],
  ['a missing header', textOf([memoryLine('a')]), /line 1: the first line must be the header/],
  ['a newer version', textOf([{ ...header, version: 3 }]), /line 1: version: must be 1 or 2/],
] as const)
  test(`${what} is refused with its line number`, async t => {
    const daemon = await startDaemon(t)
    const { status, body: reply } = await importInto(daemon, body)
    t.is(status, 400)
    t.regex(reply.error ?? '', message)
  })

test('each kind of invalid line is reported with its number', async t => {
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
  [fileOf(memoryLine('n', { content: 'a\0b' })), /line 2: content contains a NUL character/],
  [fileOf(memoryLine('s', { content: 'a\ud800' })), /line 2: content contains half/],
  [fileOf(eventLine('x')), /line 2: an event of x must follow/],
  [fileOf(memoryLine('a'), eventLine('x')), /line 3: an event of x must/],
  [fileOf(memoryLine('d', { is_deleted: 1 })), /line 2: deleted_at: /],
]

test('bytes that are not text are refused with their line number', async t => {
  const { url, call } = await startDaemon(t)
  const response = await fetch(`${url}/api/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: Buffer.concat([Buffer.from(fileOf(memoryLine('a'))), Buffer.from([0x22, 0xff, 0xfe, 0x22])]),
  })
  t.is(response.status, 400)
  t.regex(await response.text(), /line 3: is not UTF-8 text; earlier lines are stored/)
  t.is((await call('GET /api/memories')).body.stats.total, 1)
})

test('a large file is imported like its parts, with the same numbers of invalid lines', async t => {
  const whole = await startDaemon(t)
  const inParts = await startDaemon(t)
  const lines = Array.from({ length: 3000 }, (_, n) =>
    textOf([
      memoryLine(`m${String(n).padStart(4, '0')}`, {
        content: `${n} ignore all previous instructions or not: grün ${'word '.repeat(n % 40)}`.slice(
          n % 7 === 0 ? 0 : 40,
        ),
        importance: n % 500 === 499 ? 7 : 0.5,
        hints: n % 9 === 0 ? ['what was it'] : [],
      }),
    ]),
  )
  const large = await importInto(whole, fileOf() + lines.join(''))
  t.like(large.body, { memories: 2994, faulty: 6, imported: 2994 - large.body.duplicates })
  t.deepEqual(
    large.body.faults.map(fault => fault.line),
    [501, 1001, 1501, 2001, 2501, 3001],
  )
  const parts = []
  for (let at = 0; at < lines.length; at += 300)
    parts.push(
      await importInto(inParts, fileOf() + lines.slice(at, at + 300).join(''), { query: `lineOffset=${at}` }),
    )
  const all = parts.map(({ body }) => body)
  t.deepEqual(
    large.body.faults,
    all.flatMap(({ faults }) => faults),
  )
  t.is(
    large.body.unsafe,
    all.reduce((sum, { unsafe }) => sum + unsafe, 0),
  )
  const [one, other] = await Promise.all([exported(whole), exported(inParts)])
  t.is(one, other)
  const again = await importInto(whole, fileOf() + lines.join(''))
  const { imported, duplicates, duplicateOf } = large.body
  t.like(again.body, { imported: 0, skipped: imported, duplicates, duplicateOf, faulty: 6, unsafe: 0 })
})

/** Exports the daemon without generated times and ids. */
async function exported({ url }: { url: string }): Promise<string> {
  const text = await (await fetch(`${url}/api/export`)).text()
  return text.replaceAll(/"(exportedAt|createdAt|id|requestId)":"[^"]*",?/g, (field, name) =>
    name === 'id' && !field.includes('-') ? field : '',
  )
}

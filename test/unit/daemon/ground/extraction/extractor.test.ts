// runs: alone

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { constants, deflateRawSync } from 'node:zlib'
import test from 'ava'
import { forkFrom } from '../../../../../src/lib/threads/thread-url.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'
import { until } from '../../../../helpers/daemon-process.js'
import { documents, zip } from '../../../../helpers/documents.js'
import { openExtractor } from '../../../../helpers/extractor.js'

// Serial, because each test starts its own process.
const paragraphs = ['Harbour report', 'The ferry leaves berth four at noon.']

function isRunning(pid: number | undefined): boolean {
  try {
    return process.kill(pid as number, 0)
  } catch {
    return false
  }
}

test.serial('text, Markdown and JSON are read without an extra process', async t => {
  const { read, pids } = openExtractor(t)
  const markdown = await read('a.md', '# Guide #\r\n\r\nText.')
  t.like(markdown, {
    status: 'extracted',
    format: 'markdown',
    title: 'Guide',
    markdown: '# Guide #\r\n\r\nText.',
    bytes: 18,
  })
  t.like(await read('a.txt', 'As it is.\n'), { format: 'text', title: null, markdown: 'As it is.\n' })
  const json = '{"title":"J","list":[{"a":1},{"a":"two"}],"x":{"y":{"z":null}},"empty":[]}'
  t.like(await read('a.json', json), {
    title: 'J',
    markdown: 'title: J\n\n## list\n\n[0].a: 1\n[1].a: two\n\n## x\n\ny.z: null\nempty: []',
  })
  t.like(await read('a.json', '{a:1} // not JSON'), { format: 'text' })
  t.deepEqual(pids, [])
})

for (const byte of [0x00, 0x08, 0x0b, 0x0e, 0x1a, 0x1c, 0x1f])
  test.serial(
    `a file with the byte ${byte} is refused, whether it comes early or late (contract.md)`,
    async t => {
      const { read } = openExtractor(t)
      for (const before of ['', 'word '.repeat(100_000)]) {
        const bytes = Buffer.from(`${before}a${String.fromCharCode(byte)}b`)
        t.like(await read('a.txt', bytes), { status: 'failed', reason: 'unsupported' })
        const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])
        t.like(await read('a.txt', marked), { status: 'extracted' })
      }
    },
  )

test.serial('control characters that texts use are text (contract.md)', async t => {
  const { read } = openExtractor(t)
  t.like(await read('a.txt', 'a\tb\fc\x1b[1md\r\n\x7f'), { status: 'extracted' })
})

test.serial('large JSON is parsed in the extra process and does not block the event loop', async t => {
  const { read, pids } = openExtractor(t)
  const rows = Array.from({ length: 120_000 }, (_, id) => ({ id }))
  const extraction = await read('a.json', JSON.stringify(rows))
  t.true(extraction.status === 'extracted' && extraction.markdown.startsWith('[0].id: 0\n\n[1].id: 1\n\n'))
  t.is(pids.length, 1)
})

test.serial('an unreadable file is reported with name and reason', async t => {
  const { read } = openExtractor(t)
  const cases: [string, Uint8Array | string, string][] = [
    ['a.docx', '', 'empty'],
    ['a.txt', ' \n\t', 'empty'],
    ['a.html', '<p> </p>', 'no_text'],
    ['scan.pdf', documents.pdf([new Uint8Array(0)]), 'no_text'],
    ['a.bin', Buffer.from([1, 0, 2]), 'unsupported'],
    ['a.zip', zip({ 'a.txt': 'x' }), 'unsupported'],
    ['a.docx', documents.docx(paragraphs).slice(0, 300), 'malformed'],
    ['a.doc', Buffer.concat([Buffer.from('D0CF11E0A1B11AE1', 'hex'), Buffer.alloc(5000)]), 'malformed'],
    ['a.pdf', '%PDF-1.4\n', 'malformed'],
  ]
  for (const [name, bytes, reason] of cases) {
    const extraction = await read(name, bytes)
    t.like(extraction, { status: 'failed', reason })
    t.regex((extraction as { message: string }).message, /^"(?:a|scan)\.\w+" was not read: it/u)
  }
})

test.serial('a file is read from its path; a missing file or a folder is unreadable', async t => {
  const folder = temporaryWorkspace(t)
  writeFileSync(join(folder, 'a.pdf'), documents.pdf(['On the disk']))
  const { extract } = openExtractor(t)
  const read = (name: string) => extract({ path: join(folder, name), fileName: name })
  t.like(await read('a.pdf'), { markdown: 'On the disk' })
  for (const name of ['nowhere.txt', '']) t.like(await read(name), { reason: 'unreadable' })
})

test.serial(
  'malicious files are refused or end the reader process; the next file is read by another',
  async t => {
    const { read, pids } = openExtractor(t, { processorMs: 100_000 })
    const word = (body: string): string =>
      `${body}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>a &x; b</w:t></w:r></w:p></w:body></w:document>`
    const entity = word('<?xml version="1.0"?><!DOCTYPE w [<!ENTITY x SYSTEM "file:///etc/passwd">]>')
    const outside = await read('entity.docx', documents.docx([], { body: entity }))
    t.like(outside, { status: 'extracted', markdown: 'a &amp;x; b\n' })
    const blanks = new Uint8Array(140_000_000).fill(0x20)
    t.like(await read('zip.docx', documents.docx([], { body: blanks })), { reason: 'resource_limit' })
    t.like(await read('deep.html', `${'<div>'.repeat(50_000)}deep`), { markdown: 'deep' })
    t.like(await read('line.csv', 'a,'.repeat(4_000_000)), { reason: 'too_much_text' })
    t.is(new Set(pids).size, pids.length)
    const before = pids.length
    const page = packedTimes(Buffer.alloc(10_000_000, 0x20), 100)
    const bomb = await read('bomb.pdf', documents.pdf([page], { isPacked: true }))
    t.like(bomb, { status: 'failed', reason: 'too_much_memory' })
    t.like(await read('after.html', '<p>after'), { markdown: 'after' })
    t.is(pids.length, before + 1)
  },
)

test.serial('a file that uses too much processor time fails, and later files are read', async t => {
  const { read } = openExtractor(t, { processorMs: 2_000 })
  const line = '(aaaaaaaaaaaaaaaaaaaaaaaaaa) Tj '
  const lines = packedTimes(Buffer.from(line.repeat(100_000)), 80, 'BT /F1 12 Tf ')
  const slow = read('slow.pdf', documents.pdf([lines], { isPacked: true }))
  const next = read('next.html', '<p>next')
  const failure = await slow
  t.like(failure, { status: 'failed', reason: 'timed_out' })
  t.regex((failure as { message: string }).message, /more than 2 s of CPU time/u)
  t.like(await next, { status: 'extracted' })
})

test.serial('a file that waits for the processor is read, one that hangs fails', async t => {
  const processorMs = 2_000
  const { read, pids } = openExtractor(t, { processorMs, clockMs: 5_000 })
  await read('warm.docx', documents.docx(paragraphs))
  const stop = (): number => {
    const [pid = 0] = pids
    process.kill(pid, 'SIGSTOP')
    return performance.now()
  }
  const waiting = read('a.docx', documents.docx(paragraphs))
  const stopped = stop()
  await until(() => performance.now() - stopped > processorMs || undefined)
  process.kill(pids[0] as number, 'SIGCONT')
  t.like(await waiting, { status: 'extracted' })
  const hanging = read('b.docx', documents.docx(paragraphs))
  stop()
  t.like(await hanging, { status: 'failed', reason: 'timed_out' })
  t.like(await read('c.docx', documents.docx(paragraphs)), { status: 'extracted' })
  t.is(pids.length, 2)
})

test.serial('a killed process fails only the file it was reading', async t => {
  const { read, pids } = openExtractor(t)
  const first = read('a.docx', documents.docx(paragraphs))
  const second = read('b.docx', documents.docx(paragraphs))
  process.kill(await until(() => pids[0]), 'SIGKILL')
  t.like(await first, { status: 'failed', reason: 'crashed' })
  t.like(await second, { status: 'extracted' })
  t.is(pids.length, 2)
})

/** Only Linux lets a process choose what a core file contains. */
const linux = process.platform === 'linux' ? test.serial : test.serial.skip

test.serial('a workbook that claims to fill the largest sheet fails alone', async t => {
  const { read } = openExtractor(t)
  const huge = documents.xlsx({ One: [['words', 'far']] }, 'XFD1048576')
  t.like(await read('huge.xlsx', huge), { status: 'failed' })
  t.like(await read('a.xlsx', documents.xlsx({ One: [['words']] })), { status: 'extracted' })
})

linux('a process that a file aborts leaves nothing of its memory in a core file', async t => {
  const { read, pids } = openExtractor(t)
  const workbook = documents.xlsx({ One: [['words']] })
  t.like(await read('a.xlsx', workbook), { status: 'extracted' })
  const [pid = 0] = pids
  t.is(Number.parseInt(readFileSync(`/proc/${pid}/coredump_filter`, 'utf8'), 16), 0)
  process.kill(pid, 'SIGABRT')
  await until(() => !isRunning(pid) || undefined)
  t.like(await read('a.xlsx', workbook), { status: 'extracted' })
})

test.serial('one file is read at a time, and a full queue refuses more', async t => {
  const { read, pids, isBusy } = openExtractor(t, { maxWaiting: 2 })
  const reads = [1, 2, 3].map(i => read(`${i}.docx`, documents.docx(paragraphs)))
  t.true(isBusy())
  await until(() => pids[0])
  await t.throwsAsync(read('4.docx', documents.docx(paragraphs)), { code: 'overloaded' })
  t.true((await Promise.all(reads)).every(({ status }) => status === 'extracted'))
  t.is(pids.length, 1)
  t.false(isBusy())
})

test.serial('a cancelled read fails at once, and its process ends', async t => {
  const { read, pids } = openExtractor(t)
  const [reading, waiting] = [new AbortController(), new AbortController()]
  const first = read('a.docx', documents.docx(paragraphs), { signal: reading.signal })
  const second = read('b.docx', documents.docx(paragraphs), { signal: waiting.signal })
  const third = read('c.docx', documents.docx(paragraphs))
  await until(() => pids[0])
  waiting.abort(new Error('not wanted'))
  await t.throwsAsync(second, { message: 'not wanted' })
  reading.abort(new Error('not wanted either'))
  await t.throwsAsync(first, { message: 'not wanted either' })
  t.like(await third, { status: 'extracted' })
  t.is(pids.length, 2)
})

test.serial('the process ends after an idle time and when the extractor closes', async t => {
  const { read, pids } = openExtractor(t, { idleMs: 1 })
  await read('a.docx', documents.docx(paragraphs))
  await until(() => !isRunning(pids[0]) || undefined)
  const closing = openExtractor(t)
  await closing.read('a.docx', documents.docx(paragraphs))
  t.true(isRunning(closing.pids[0]))
  await closing.close()
  await until(() => !isRunning(closing.pids[0]) || undefined)
  await t.throwsAsync(closing.read('a.docx', documents.docx(paragraphs)), { code: 'overloaded' })
  t.pass()
})

test.serial('the process ends with its parent, even if that is killed', async t => {
  const folder = temporaryWorkspace(t)
  const parent: ChildProcess = fork(...parentProgram(folder))
  t.teardown(() => parent.kill('SIGKILL'))
  const exited = once(parent, 'exit')
  const [pid] = (await once(parent, 'message')) as [number]
  t.true(isRunning(pid))
  parent.kill('SIGKILL')
  await exited
  await until(() => !isRunning(pid) || undefined)
})

/**
 * Returns a zlib stream without checksum: a beginning, then the same bytes many times, compressed only once.
 */
function packedTimes(bytes: Buffer, times: number, beginning = ''): Buffer {
  const part = (one: Buffer | string) =>
    deflateRawSync(one, { level: 1, finishFlush: constants.Z_FULL_FLUSH })
  const again = part(bytes)
  return Buffer.concat([
    Buffer.from([0x78, 0x01]),
    part(beginning),
    ...Array.from({ length: times }, () => again),
    Buffer.from([0x03, 0x00]),
  ])
}

/** Returns a program that reads a document, prints the pid of its reader process, and keeps running. */
function parentProgram(folder: string): [string, string[], { execArgv: string[] }] {
  const { file, execArgv } = forkFrom({
    from: new URL('../../../../../src/daemon/ground/extraction/extractor.ts', import.meta.url).href,
    source: './extractor.ts',
    bundle: './extractor.js',
  })
  const program = join(folder, 'parent.mjs')
  writeFileSync(
    program,
    `import { createExtractor } from ${JSON.stringify(file)}
const { extract } = createExtractor({ onStart: pid => { globalThis.pid = pid } })
await extract({ bytes: Buffer.from('<p>x'), fileName: 'a.html' })
process.send(globalThis.pid)
setInterval(() => undefined, 1000)
`,
  )
  return [program, [], { execArgv }]
}

test.serial('the event loop stays free while a large document is read', async t => {
  const { read } = openExtractor(t)
  const page = `<p>${'The ferry leaves berth four. '.repeat(300_000)}</p>`
  await read('warm.html', '<p>x')
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const extraction = await read('large.html', page)
  delay.disable()
  t.true(extraction.status === 'extracted' && extraction.markdown.length > 8_000_000)
  // A few ms are usual, but a busy machine may withhold the processor for longer.
  t.true(delay.percentile(90) / 1e6 < 50)
})

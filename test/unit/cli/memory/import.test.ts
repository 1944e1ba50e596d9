import test from 'ava'
import {
  type ImportPart,
  type ImportReply,
  importLines,
  importParts,
  joinReplies,
} from '../../../../src/cli/memory/import.js'

const header = '{"kind":"header"}'
const memory = (id: string) => JSON.stringify({ kind: 'memory', id })
const event = (id: string) => JSON.stringify({ kind: 'event', id })

async function partsOf(text: string | Buffer, maxLength: number): Promise<ImportPart[]> {
  async function* source() {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7)
  }
  const parts: ImportPart[] = []
  for await (const part of importParts(source(), 'x.jsonl', maxLength)) parts.push(part)
  return parts
}

test('an import is split between memories, and each part repeats the header', async t => {
  const lines = [header, memory('a'), event('1'), event('2'), memory('b'), event('3')]
  const parts = await partsOf(lines.join('\n'), 20)
  t.deepEqual(
    parts.map(({ text }) => text.trim().split('\n')),
    [
      [header, memory('a'), event('1'), event('2')],
      [header, memory('b'), event('3')],
    ],
  )
})

test('the line of a part plus its offset is the line of the file, with empty lines', async t => {
  const lines = ['', header, '', memory('a'), '', '', memory('b'), '', memory('c')]
  for (const { text, lineOffset } of await partsOf(lines.join('\n'), 20))
    text.split('\n').forEach((line, index) => {
      if (line !== '' && line !== header) t.is(lines[lineOffset + index], line)
    })
})

test('a small file is one part', async t => {
  t.is((await partsOf([header, memory('a'), memory('b')].join('\n'), 1000)).length, 1)
})

test('an empty file and a binary file are refused', async t => {
  await t.throwsAsync(partsOf('\n\n', 20), { message: 'x.jsonl is empty' })
  await t.throwsAsync(partsOf(Buffer.concat([Buffer.from(`${header}\n`), Buffer.from([0xff, 0xfe])]), 20), {
    message: 'line 2 of x.jsonl is not UTF-8 text',
  })
})

const reply: ImportReply = {
  dryRun: false,
  memories: 3,
  imported: 1,
  skipped: 1,
  duplicates: 1,
  duplicateOf: [{ line: 4, id: 'a', existingId: 'b' }],
  unsafe: 0,
  events: 2,
  complete: false,
  faulty: 0,
  faults: [],
}

test('the result names what was left out and why', t => {
  t.deepEqual(importLines({ ...reply, complete: true }), [
    'Imported 1 memory with 2 changes',
    '  1 skipped: ids that already exist',
    '  1 skipped: another memory has the same content or key',
    '    line 4: a duplicates b',
  ])
  t.regex(importLines(reply).join('\n'), /no end line; it may be incomplete/)
  t.regex(importLines({ ...reply, dryRun: true }).join('\n'), /^Would import 1 memory/)
})

test('faulty lines are listed with what to do next', t => {
  const faults = [{ line: 7, message: 'is not JSON' }]
  t.deepEqual(importLines({ ...reply, complete: true, faulty: 3, faults }).slice(-3), [
    '  3 invalid lines skipped: correct them and import the file again; memories that already exist are skipped',
    '    line 7: is not JSON',
    '    and 2 more',
  ])
})

test('replies for the parts add up, and the last one says whether the file is complete', t => {
  t.like(joinReplies(reply, { ...reply, complete: true }), { imported: 2, events: 4, complete: true })
})

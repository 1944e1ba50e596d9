// runs: in turn

import test from 'ava'
import fc from 'fast-check'
import {
  type Chunk,
  type ChunkSource,
  chunkSteps,
  chunksOf,
  maxTokens,
  targetTokens,
  withPath,
} from '../../../../../src/daemon/ground/chunks/chunks.js'
import { takeTokens } from '../../../../../src/daemon/ground/text/tokens.js'
import { runToEnd } from '../../../../../src/lib/concurrency/every-few-ms.js'
import { cpuMsOf } from '../../../../helpers/cpu-time.js'

const cut = (text: string, more: Partial<ChunkSource<{ at: number }>> = {}) =>
  runToEnd(chunkSteps({ title: null, text, ...more }))
const tokens = (text: string): number => takeTokens(text, 0, text.length, 1e9).tokens
const ownText = ({ content, repeated, added }: Chunk): string =>
  content.slice(repeated, content.length - added)
const sentence = (i: number): string =>
  `The ferry number ${i} leaves berth four at noon and returns before the tide. `

/** Lists the violated rules that every chunk must obey. */
function faultsOf(text: string, chunks: readonly Chunk[]): string[] {
  if (text.trim() === '') return chunks.length === 0 ? [] : ['chunks of nothing']
  const joined = chunks.map(({ start, end }) => text.slice(start, end)).join('')
  const faults = joined === text ? [] : ['the chunks do not cover the text']
  for (const chunk of chunks) {
    const { start, end, content, index, path } = chunk
    if (chunks[index] !== chunk) faults.push(`chunk ${index} has another number`)
    if (ownText(chunk).trim() !== text.slice(start, end).trim()) faults.push(`chunk ${index} lost text`)
    if (content.trim() === '') faults.push(`chunk ${index} is blank`)
    if (text.isWellFormed() && !content.isWellFormed()) faults.push(`chunk ${index} cuts a character`)
    if (tokens(withPath({ path, content })) > 2 * targetTokens + maxTokens)
      faults.push(`chunk ${index} is long`)
  }
  return faults.slice(0, 5)
}

const line = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom(
    '',
    '',
    '# One',
    '## Two',
    '###### Six',
    'Title',
    '===',
    '---',
    '```js',
    '```',
    '~~~',
    '````',
  ),
  fc.constantFrom(
    '| a | b |',
    '| --- | --- |',
    '| 1 | 2 |',
    '- item',
    '  - nested',
    '1. first',
    '> quoted',
    '\t',
  ),
  fc.integer({ min: 1, max: 40 }).map(times => sentence(times).repeat(times)),
  fc.integer({ min: 1, max: 900 }).map(times => '港'.repeat(times)),
  fc.integer({ min: 1, max: 900 }).map(times => '😀'.repeat(times)),
  fc.integer({ min: 1, max: 3000 }).map(times => 'x'.repeat(times)),
)
const markdown = fc
  .tuple(fc.array(line, { maxLength: 80 }), fc.constantFrom('\n', '\r\n', '\n\n'))
  .map(([lines, newline]) => lines.join(newline))

test('the joined chunks of any text are that text', t => {
  const property = fc.property(markdown, fc.boolean(), (text, plain) => {
    t.deepEqual(faultsOf(text, cut(text, { title: 'A title', plain })), [], JSON.stringify(text))
  })
  t.notThrows(() => fc.assert(property, { numRuns: 100 }))
})

test('the joined chunks of any characters are those characters, even lone surrogates', t => {
  const property = fc.property(fc.string({ unit: 'binary', maxLength: 400 }), text => {
    t.deepEqual(faultsOf(text, cut(text)), [], JSON.stringify(text))
  })
  t.notThrows(() => fc.assert(property, { numRuns: 100 }))
})

const bomb = 400_000
const hostile: Record<string, string> = {
  'a single line': 'word '.repeat(bomb / 5),
  'one word': 'x'.repeat(bomb),
  'Chinese without spaces': '港口报告'.repeat(bomb / 4),
  'surrogate pairs only': '😀'.repeat(bomb / 2),
  'spaces and one word': `${' '.repeat(bomb)}x`,
  'empty lines': '\n'.repeat(bomb),
  'a word among many spaces': `a${' '.repeat(bomb)}b`,
  'accents only': `e${'\u0301'.repeat(bomb)}`,
  'headings only': '# Heading\n'.repeat(bomb / 10),
  'headings of all levels': Array.from(
    { length: bomb / 10 },
    (_, i) => `${'#'.repeat(1 + (i % 6))} H${i}\n`,
  ).join(''),
  'a heading of one line': `# ${'word '.repeat(bomb / 5)}`,
  'nested lists': Array.from({ length: 1200 }, (_, i) => `${' '.repeat(i)}- item`).join('\n'),
  'an unclosed fence': `\`\`\`\n${'code line\n'.repeat(bomb / 10)}`,
  'opening fences': '```js\n'.repeat(bomb / 6),
  'a fence of one line': `\`\`\`\n${'x '.repeat(bomb / 2)}\n\`\`\``,
  'backticks only': '`'.repeat(bomb),
  'a table': `| a | b |\n| - | - |\n${'| 1 | 2 |\n'.repeat(bomb / 10)}`,
  'a table with a long header': `| ${'a'.repeat(bomb)} |\n| - |\n${'| 1 |\n'.repeat(1000)}`,
  'pipes only': '|'.repeat(bomb),
  'delimiter rows': '| - |\n'.repeat(bomb / 6),
  'dashes only': '-'.repeat(bomb),
  'unclosed front matter': `---\n${'key: value\n'.repeat(bomb / 11)}`,
  'Windows line ends': 'A line of it.\r\n'.repeat(bomb / 15),
  brackets: '['.repeat(bomb),
  'full stops only': '. '.repeat(bomb / 2),
}

for (const [name, text] of Object.entries(hostile))
  test(`hostile text is cut in linear time: ${name}`, t => {
    let chunks: ReturnType<typeof cut> = []
    const cpuMs = cpuMsOf(() => {
      chunks = cut(text, { title: 'Title' })
    })
    // Takes less than 200 ms; a quadratic algorithm takes almost a minute.
    t.true(cpuMs < 5000)
    t.deepEqual(faultsOf(text, chunks), [])
  })

test('megabytes are chunked without blocking the event loop', async t => {
  const text = Array.from(
    { length: 36_000 },
    (_, i) => `${sentence(i)}\n${i % 50 ? '' : `\n## Part ${i}\n`}`,
  ).join('')
  let steps = 0
  const walk = chunkSteps({ title: null, text })
  let longestMs = 0
  for (let isDone = false; !isDone; steps++) {
    const stepMs = cpuMsOf(() => {
      isDone = walk.next().done === true
    })
    longestMs = Math.max(longestMs, stepMs)
  }
  t.true(steps > 3_000)
  // A step takes microseconds; the limit leaves room for garbage collection.
  t.true(longestMs < 500)
  t.deepEqual(await chunksOf({ title: null, text }), cut(text))
})

test('prose is cut near 220 tokens, and never exceeds 256 with its path', t => {
  const text = Array.from({ length: 200 }, (_, i) => sentence(i)).join('')
  const chunks = cut(`# A long enough heading for this\n\n${text}`, { title: 'The title of the document' })
  const sizes = chunks.map(chunk => tokens(withPath(chunk)))
  t.true(Math.max(...sizes) <= maxTokens)
  t.true(Math.min(...sizes.slice(0, -1)) > 150)
})

test('a split paragraph repeats one sentence, nothing else is repeated', t => {
  const text = Array.from({ length: 40 }, (_, i) => sentence(i)).join('')
  const [first, second] = cut(`${text}\n\nAnother paragraph.`)
  t.is(first?.repeated, 0)
  const repeated = second?.content.slice(0, second.repeated) ?? ''
  t.regex(repeated, /^The ferry number \d+ leaves .* tide\. $/u)
  t.true(first?.content.endsWith(repeated.trim()))
  const paragraphs = cut(Array.from({ length: 40 }, (_, i) => sentence(i)).join('\n\n'))
  t.true(paragraphs.length > 2)
  t.true(paragraphs.every(chunk => chunk.repeated === 0))
})

test('the path contains title and headings, the content does not', t => {
  const text =
    '# Guide\n\nIntro.\n\n## Setup [now](https://x.y)\n\nSteps.\n\n### Linux ###\n\nApt.\n\n## Use\n\nRun.'
  t.deepEqual(
    cut(text, { title: 'Manual' }).map(({ path, content }) => [path, content]),
    [
      ['Manual > Guide', '# Guide\n\nIntro.'],
      ['Manual > Guide > Setup now', '## Setup [now](https://x.y)\n\nSteps.'],
      ['Manual > Guide > Setup now > Linux', '### Linux ###\n\nApt.'],
      ['Manual > Guide > Use', '## Use\n\nRun.'],
    ],
  )
})

test('a title equal to the first heading appears once in the path', t => {
  t.is(cut('# Guide\n\nText.', { title: 'Guide' })[0]?.path, 'Guide')
})

test('underlined headings count, lines in front matter do not', t => {
  const chunks = cut('---\ntitle: x\n---\n\nTop\n===\n\nText.\n\nSub\n---\n\nMore.')
  t.deepEqual(
    chunks.map(({ path }) => path),
    ['', 'Top', 'Top > Sub'],
  )
})

test('a path of many long headings leaves room for text', t => {
  const heading = 'word '.repeat(50)
  const text = [1, 2, 3, 4, 5, 6].map(level => `${'#'.repeat(level)} ${heading}\n\n`).join('')
  const chunks = cut(`${text}${sentence(1).repeat(30)}`, { title: heading })
  t.true(chunks.every(({ path }) => tokens(path) <= 80))
  t.true(tokens(withPath(chunks.at(-2) as Chunk)) <= maxTokens)
})

test('a fence up to twice the size stays whole, a longer one is reopened in each part', t => {
  const code = (lines: number): string => `Text.\n\n\`\`\`js\n${'const a = 1\n'.repeat(lines)}\`\`\`\n`
  t.deepEqual(
    cut(code(80)).map(({ repeated, added }) => [repeated, added]),
    [
      [0, 0],
      [0, 0],
    ],
  )
  const parts = cut(code(200)).slice(1)
  t.true(parts.length > 3)
  t.true(parts.every(({ content }) => content.startsWith('```js\n') && content.endsWith('\n```')))
  t.true(parts.slice(1).every(({ repeated }) => repeated === '```js\n'.length))
})

test('an open fence runs to the end, and its lines are not headings', t => {
  const chunks = cut(`# A\n\n\`\`\`sh\n${'# a comment of a script\n'.repeat(100)}`)
  t.true(chunks.every(({ path }) => path === 'A'))
})

test('each part of a long table begins with its header', t => {
  const table = `| Ship | Berth |\n| --- | --- |\n${'| Aurora | 4 |\n'.repeat(200)}`
  const chunks = cut(`## Fleet\n\n${table}\nAfter.`)
  t.true(chunks.length > 4)
  const rows = chunks.filter(({ content }) => content.includes('Aurora'))
  t.true(rows.every(({ content }) => content.includes('| Ship | Berth |\n| --- | --- |\n| Aurora | 4 |')))
  t.true(rows.slice(1).every(({ repeated }) => repeated > 0))
})

test('plain text has no headings, tables or fences', t => {
  const [chunk, ...others] = cut('# a comment\nx = 1\n\n```\n# another\n', { plain: true })
  t.is(others.length, 0)
  t.is(chunk?.path, '')
})

test('a chunk has the pages where it begins and ends', t => {
  const page = (i: number): string => `${sentence(i).repeat(8)}\n\n`
  const pages = [1, 2, 3, 4].map(page)
  const marks = pages.map((_, i) => ({ at: pages.slice(0, i).join('').length, label: String(i + 1) }))
  const chunks = runToEnd(chunkSteps({ title: null, text: pages.join(''), marks }))
  t.is(chunks[0]?.from?.label, '1')
  t.is(chunks.at(-1)?.to?.label, '4')
  const inside = chunks.map(({ start, end, from, to }) => {
    const [first, last] = [Number(from?.label) - 1, Number(to?.label) - 1]
    return (marks[first]?.at ?? 0) <= start && (marks[last + 1]?.at ?? Number.POSITIVE_INFINITY) >= end
  })
  t.true(inside.every(Boolean))
})

test('blank text has no chunks', t => {
  t.deepEqual(cut(' \n\t\r\n'), [])
  t.deepEqual(cut(''), [])
})

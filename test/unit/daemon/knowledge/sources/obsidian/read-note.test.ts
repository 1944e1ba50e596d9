// runs: in turn

import test from 'ava'
import { guidanceFor } from '../../../../../../src/daemon/knowledge/sources/obsidian/list-vault.js'
import { resolveLinks } from '../../../../../../src/daemon/knowledge/sources/obsidian/obsidian.js'
import {
  isEvicted,
  parseCanvas,
  parseNote,
} from '../../../../../../src/daemon/knowledge/sources/obsidian/read-note.js'
import { runToEnd } from '../../../../../../src/lib/concurrency/every-few-ms.js'
import { cpuMsOf, longestStepMs } from '../../../../../helpers/cpu-time.js'
import { turnsDuring } from '../../../../../helpers/turns.js'

test('title, aliases and tags are names, even in frontmatter of other programs', t => {
  const cases: [string, string[]][] = [
    [
      '---\ntitle: Long one\naliases: [A, "B: c"]\ntags: sea, wind #sun\n---\nText',
      ['Long one', 'A', 'B: c', '#sea', '#wind', '#sun'],
    ],
    ['---\r\nalias: Only\r\ntag:\r\n  - x/y\r\n---\r\nText #z', ['Only', '#x/y', '#z']],
    ['---\nbroken: [yaml\n---\nText #kept', ['#kept']],
    ['---\nno end', []],
    ['Text #1 #2024 #a1, (#b) x#no `#code`', ['#a1', '#b']],
    ['```\n#fenced\n```\n#outside', ['#outside']],
    ['| a | #table |\n| - | - |\n| b | #cell |', ['#table', '#cell']],
    ['# Heading #tagged', ['#tagged']],
  ]
  for (const [text, names] of cases) t.deepEqual(runToEnd(parseNote(text)).names, names, text)
})

test('wikilinks, embeds and Markdown links are found outside code only', t => {
  const text = [
    '[[a]] ![[b#Heading|shown]] [[c^block]] [[#own heading]] `[[code]]`',
    '',
    '| [[d\\|in a table]] | x |',
    '| - | - |',
    '',
    '```',
    '[[fenced]]',
    '```',
    '[m](notes/e%20f.md#part) [web](https://example.org/x.md) [[[g]] [[un\nclosed]]',
  ].join('\n')
  t.deepEqual(runToEnd(parseNote(text)).links, [
    { to: 'a' },
    { to: 'b', text: 'shown' },
    { to: 'c' },
    { to: 'd', text: 'in a table' },
    { to: 'g' },
    { to: 'notes/e f.md', text: 'm' },
  ])
})

test('a hostile note is parsed in linear time', t => {
  for (const text of [
    '[['.repeat(200_000),
    '`'.repeat(400_000),
    '[a](b'.repeat(80_000),
    '#'.repeat(400_000),
    '[[a|'.repeat(100_000),
  ])
    t.true(cpuMsOf(() => runToEnd(parseNote(text))) < 3000, text.slice(0, 8))
})

test('a note of megabytes is parsed in small steps, whatever its content', t => {
  const matter = `---\n${'key: [a, b, {c: d}]\n'.repeat(3200)}---\n`
  const line = 'Some words with a #tag and `code` and more of them.\n'
  const short = [...'ab|'].map(word => `${word}\n`.repeat(2_600_000))
  const fence = `\`\`\`\n${short[0]}`
  const table = `|a|\n|-|\n${short[2]}`
  const blanks = `a${'\n'.repeat(5_000_000)}`
  const long = [line.repeat(40_000), `${line}\n`.repeat(40_000), '#x [[y]] '.repeat(200_000)]
  for (const text of [...long, matter, short.join(''), fence, table, blanks]) {
    const longest = longestStepMs(() => parseNote(text), 50)
    t.true(longest < 50, `${JSON.stringify(text.slice(0, 8))} ${longest}`)
  }
})

test('a canvas yields its cards, files, groups and labelled edges', async t => {
  const canvas = await parseCanvas(
    JSON.stringify({
      nodes: [
        { id: '1', type: 'text', text: '# Buy\n\na buoy' },
        { id: '2', type: 'file', file: 'sea/a.md' },
        { id: '3', type: 'link', url: 'https://example.org' },
        { id: '4', type: 'group', label: 'Harbour' },
      ],
      edges: [
        { fromNode: '1', toNode: '2', label: 'explains' },
        { fromNode: '2', toNode: '9' },
      ],
    }),
  )
  t.deepEqual(canvas, {
    text: '# Buy\n\na buoy\n\n[[sea/a.md]]\n\nhttps://example.org\n\n# Harbour\n\n- Buy -> sea/a.md: explains\n- sea/a.md -> ?',
    links: [{ to: 'sea/a.md' }],
  })
  t.deepEqual(await parseCanvas(' '), { text: '', links: [] })
  for (const broken of ['{"nodes":', '[]', '7']) t.is(await parseCanvas(broken), undefined)
})

test('parsing a canvas of megabytes yields to the event loop', async t => {
  const nodes = Array.from({ length: 9000 }, (_, at) => ({
    id: `${at}`,
    type: 'text',
    text: 'a buoy '.repeat(150),
  }))
  const json = JSON.stringify({ nodes })
  t.true(json.length > 9_000_000)
  t.true((await turnsDuring(() => parseCanvas(json))) > 1)
  t.is((await parseCanvas(json))?.text.length, 9000 * 1049 + 2 * 8999)
})

test('joining many cards and edges yields to the event loop', async t => {
  const nodes = Array.from({ length: 20_000 }, (_, at) => ({ id: `${at}`, text: `a ${at}` }))
  const edges = nodes.slice(0, 5000).map(({ id }) => ({ fromNode: id, toNode: '0' }))
  const json = JSON.stringify({ nodes, edges })
  t.true(json.length < 1024 * 1024, 'parsed at once')
  t.true((await turnsDuring(() => parseCanvas(json))) > 0)
  t.true((await parseCanvas(json))?.text.endsWith('- a 4999 -> a 0'))
})

test('links resolve to the exact path, then a unique note name, then the shortest path', t => {
  const lead = resolveLinks([
    'Home.md',
    'a/Note.md',
    'a/b/Note.md',
    'b/Only.md',
    'c/U\u0308ber.md',
    'plan.canvas',
  ])
  const cases: [string, string, string | undefined][] = [
    ['Home.md', 'a/b/Note', 'a/b/Note.md'],
    ['Home.md', 'note', 'a/Note.md'],
    ['Home.md', 'b/Note', 'a/b/Note.md'],
    ['a/b/Note.md', 'Note', 'a/b/Note.md'],
    ['Home.md', 'only.md', 'b/Only.md'],
    ['Home.md', '\u00fcber', 'c/U\u0308ber.md'],
    ['a/Note.md', '../Home', 'Home.md'],
    ['a/Note.md', './b/Note.md', 'a/b/Note.md'],
    ['Home.md', '../../etc/passwd', undefined],
    ['Home.md', 'plan.canvas', 'plan.canvas'],
    ['Home.md', 'nowhere', undefined],
  ]
  for (const [from, target, to] of cases) t.is(lead(from, target), to, `${from} -> ${target}`)
})

test('an iCloud placeholder is recognised by its blocks, on a Mac only', t => {
  t.true(isEvicted({ size: 10, blocks: 0 }, 'darwin'))
  t.false(isEvicted({ size: 0, blocks: 0 }, 'darwin'))
  t.false(isEvicted({ size: 10, blocks: 8 }, 'darwin'))
  t.false(isEvicted({ size: 10, blocks: 0 }, 'linux'))
})

test('a denied access comes with guidance', t => {
  const denied = Object.assign(new Error('no'), { code: 'EACCES' })
  t.regex(guidanceFor(denied, '/v', 'darwin') ?? '', /Full Disk Access/)
  t.regex(guidanceFor(denied, '/v', 'linux') ?? '', /chmod -R u\+rX "\/v"/)
  t.is(guidanceFor(Object.assign(new Error('io'), { code: 'EIO' }), '/v'), undefined)
})

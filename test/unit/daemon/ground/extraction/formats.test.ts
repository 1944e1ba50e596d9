import { readFileSync } from 'node:fs'
import test from 'ava'
import { unzipSync, zipSync } from 'fflate'
import { charsetOf, readText } from '../../../../../src/daemon/ground/extraction/decode-text.js'
import type { ExtractedText } from '../../../../../src/daemon/ground/extraction/extraction.js'
import { type FencedFormat, readSource } from '../../../../../src/daemon/ground/extraction/read-source.js'
import { sourceFormat } from '../../../../../src/daemon/ground/extraction/source-format.js'
import { runToEnd } from '../../../../../src/lib/concurrency/every-few-ms.js'
import { documents } from '../../../../helpers/documents.js'
import { encryptedOffice } from '../../../../helpers/encrypted-office.js'

const paragraphs = ['Harbour report', 'The ferry leaves berth four at noon.', 'a < b & c']
const slides = [
  { title: 'First', text: 'The ferry' },
  { title: 'Second', text: 'The tide' },
]
const sheets = {
  Fleet: [
    ['Ship', 'Berth'],
    ['Aurora', '4'],
  ],
  'Crew & pay': [['Name'], ['Ann']],
}
const tables =
  '## Fleet\n\n| Ship | Berth |\n| --- | --- |\n| Aurora | 4 |\n\n## Crew & pay\n\n| Name |\n| --- |\n| Ann |\n'

/** Reads a file that LibreOffice wrote. */
const fixture = (name: string): Uint8Array =>
  readFileSync(new URL(`../../../../fixtures/office/${name}`, import.meta.url))

/** Extracts a file in this process; other tests start the extra process. */
async function text(
  fileName: string,
  content: Uint8Array | string,
  contentType?: string,
): Promise<ExtractedText> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const source = sourceFormat(bytes, { fileName, contentType })
  const reading =
    source === 'text' || source === 'markdown'
      ? runToEnd(readText(bytes, source, charsetOf(contentType)))
      : await readSource({ source: source as FencedFormat, bytes, fileName, contentType })
  if (reading.status === 'failed') throw new Error(`${reading.reason}: ${reading.message}`)
  return { ...reading, bytes: bytes.length, durationMs: 0 }
}

test('office documents, EPUB and RTF become Markdown, and the format is named', async t => {
  const cases: [string, Uint8Array, RegExp][] = [
    ['a.docx', documents.docx(paragraphs), /The ferry leaves berth four at noon\.\n\na < b & c/],
    ['a.docm', documents.docx(paragraphs), /berth four at noon/],
    ['a.odt', documents.odt(paragraphs), /^# Harbour report\n\nThe ferry/],
    ['a.rtf', documents.rtf(paragraphs), /berth four at noon/],
    ['a.epub', documents.epub('Book', paragraphs), /^# Book\n\n## Chapter 1\n\nHarbour report/],
    ['a.pptx', documents.pptx(slides), /^## First\n\nThe ferry\n\n## Second\n\nThe tide/],
    ['a.ppsx', documents.pptx(slides), /The tide/],
    ['a.odp', documents.odp(slides), /The ferry\n\nSecond\n\nThe tide/],
  ]
  for (const [name, bytes, wanted] of cases) {
    const { format, markdown, bytes: size } = await text(name, bytes)
    t.is(`a.${format}`, name)
    t.regex(markdown, wanted)
    t.is(size, bytes.length)
  }
})

test('lines with # above a table stay text, and hidden sheets are marked', async t => {
  t.is(
    (await text('a.csv', '# exported 2026\n# by Ann\na;b\n1;2\n')).markdown,
    '# exported 2026\n# by Ann\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n',
  )
  t.is((await text('a.csv', 'a;b\n#1;2\n')).markdown, '| a | b |\n| --- | --- |\n| #1 | 2 |\n')
  const parts = unzipSync(documents.xlsx(sheets))
  const list = Buffer.from(parts['xl/workbook.xml'] ?? []).toString()
  const at = list.lastIndexOf('<sheet ') + '<sheet '.length
  parts['xl/workbook.xml'] = Buffer.from(`${list.slice(0, at)}state="hidden" ${list.slice(at)}`)
  const { markdown, marks } = await text('a.xlsx', zipSync(parts))
  t.is(markdown, tables.replace('Crew & pay', 'Crew & pay (hidden)'))
  t.deepEqual(
    marks.map(({ label }) => label),
    ['Fleet', 'Crew & pay (hidden)'],
  )
})

test('a workbook becomes one table per sheet, with sheet positions', async t => {
  for (const [name, bytes] of [
    ['a.xlsx', documents.xlsx(sheets)],
    ['a.xlsm', documents.xlsx(sheets)],
    ['a.ods', documents.ods(sheets)],
  ] as const) {
    const { format, markdown, marks } = await text(name, bytes)
    t.is(`a.${format}`, name)
    t.is(markdown, tables)
    t.deepEqual(marks, [
      { at: 0, kind: 'sheet', label: 'Fleet' },
      { at: tables.indexOf('## Crew'), kind: 'sheet', label: 'Crew & pay' },
    ])
  }
})

test('a PDF is read page by page, with page positions', async t => {
  const { format, markdown, marks } = await text('a.pdf', documents.pdf(['# Page one', 'Page two']))
  t.is(format, 'pdf')
  t.is(markdown, '\\# Page one\n\nPage two')
  t.deepEqual(
    marks.map(({ at, label }) => [label, markdown.slice(at, at + 8)]),
    [
      ['1', '\\# Page '],
      ['2', 'Page two'],
    ],
  )
})

test('a PDF with a wrong object table is still read', async t => {
  const whole = Buffer.from(documents.pdf(['Still here'])).toString('latin1')
  const broken = whole
    .replace(/startxref\n\d+/u, 'startxref\n7')
    .replace(/^\d{10} 00000 n /gmu, '0000000007 00000 n ')
  t.is((await text('a.pdf', Buffer.from(broken, 'latin1'))).markdown, 'Still here')
})

test('HTML becomes text without navigation, scripts and inline images', async t => {
  const page = `<!doctype html><html><head><title>A &amp; B</title><style>p{}</style></head><body>
    <nav><a href="/">Home</a></nav><h1>Head</h1><p>Text &lt;b&gt; <img src="data:image/png;base64,${'A'.repeat(9000)}" alt="ship"></p>
    <form><p>In a form</p></form><script>no()</script><footer>Imprint</footer></body></html>`
  const { title, markdown } = await text('a.html', page)
  t.is(title, 'A & B')
  t.regex(markdown, /^# Head\n\nText .*\n\nIn a form$/u)
  t.notRegex(markdown, /Home|Imprint|no\(\)|AAAA/u)
  t.regex((await text('b.html', '<title>T</title><main><p>Main</main><p>Other')).markdown, /^Main$/u)
  t.is((await text('b.html', '<title>T</title><p>x')).title, 'T')
  t.regex(
    (await text('c.html', `<p>a</p><nav>${'<p>lost without its end</p>'.repeat(50)}`)).markdown,
    /lost/u,
  )
})

test('HTML is decoded with its declared charset', async t => {
  const page = Buffer.concat([
    Buffer.from('<meta charset="koi8-r"><p>'),
    Buffer.from([0xf0, 0xcf, 0xd2, 0xd4]),
  ])
  t.is((await text('a.html', page)).markdown, 'Порт')
})

test('CSV becomes a table for any delimiter', async t => {
  const wanted = '| a | b |\n| --- | --- |\n| 1 | 2\\|x y |\n'
  for (const [name, csv] of [
    ['a.csv', 'a,b\n1,"2|x\ny"\n'],
    ['a.csv', 'a;b\r\n1;"2|x\r\ny"\r\n'],
    ['a.csv', 'sep=;\r\na;b\r\n1;"2|x\r\ny"\r\n'],
    ['a.csv', 'a;b;;;;\n1;"2|x\ny";;;;\n'],
    ['a.tsv', 'a\tb\n\n1\t2|x y\n'],
  ] as const)
    t.is((await text(name, csv)).markdown, wanted)
})

test('text is decoded from its mark, as UTF-8, with its charset, or with a guessed one', async t => {
  const markdown = async (bytes: Buffer, type?: string): Promise<string> =>
    (await text('a.txt', bytes, type)).markdown
  t.is(await markdown(Buffer.from('\ufeffGröße 港', 'utf16le')), 'Größe 港')
  t.is(await markdown(Buffer.from('\ufeffGröße', 'utf16le').swap16()), 'Größe')
  t.is(await markdown(Buffer.from('\ufeffGröße 港')), 'Größe 港')
  t.is(await markdown(Buffer.from([0xf0, 0xcf]), 'text/plain; charset="koi8-r"'), 'По')
  t.is(await markdown(Buffer.from([0x80, 0xe9]), 'text/plain; charset=nonsense'), '€é')
  t.is(await markdown(Buffer.from(`${'x'.repeat(1024 * 1024 - 1)}é`)), `${'x'.repeat(1024 * 1024 - 1)}é`)
})

test('NUL and lone surrogates are removed', async t => {
  t.is((await text('a.json', '{"a":"x\\u0000y\\ud800z\\ud83d\\ude00"}')).markdown, 'a: xyz😀')
  t.is(
    (await text('a.txt', Buffer.from('\ufeffa\0b\ud800c', 'utf16le'))).markdown.replaceAll('\ufffd', ''),
    'abc',
  )
})

test('JSON numbers keep their spelling, even beyond double precision', async t => {
  const json =
    '{"id": 81384788765712384, "far": 1e400, "near": -1E+999, "pi": 3.14159265358979323846, "n": 1.50, "t": "1e400 \\" 81384788765712384"}'
  t.is(
    (await text('a.json', json)).markdown,
    [
      'id: 81384788765712384',
      'far: 1e400',
      'near: -1E+999',
      'pi: 3.14159265358979323846',
      'n: 1.5',
      't: 1e400 " 81384788765712384',
    ].join('\n'),
  )
})

test('a file with the wrong extension is read by its content', async t => {
  t.is((await text('a.txt', documents.pdf(['In a PDF']))).format, 'pdf')
  t.is((await text('a.pdf', documents.docx(paragraphs))).format, 'docx')
  t.is((await text('a.docx', 'plain text')).format, 'text')
  t.is((await text('a.doc', '<html><body><p>Saved as a page')).format, 'html')
  t.is((await text('none', 'a,b\n1,2', 'text/csv; charset=utf-8')).format, 'csv')
})

test('the media type takes precedence over the name, except for plain text', async t => {
  const page = '<!doctype html><html><body><main><p>The crane is red.</p></main></body></html>'
  for (const name of ['README.md', 'notes.txt', 'data.json', 'table.csv'])
    t.like(await text(name, page, 'text/html; charset=utf-8'), {
      format: 'html',
      markdown: 'The crane is red.',
    })
  t.is((await text('README.md', '# Crane', 'text/plain; charset=utf-8')).format, 'markdown')
  t.is((await text('README.md', '# Crane', 'application/octet-stream')).format, 'markdown')
})

test('an Office document with a password is reported as encrypted, whatever its name', async t => {
  for (const name of ['a.docx', 'a.xlsx', 'a.pptx', 'a.bin'])
    await t.throwsAsync(text(name, encryptedOffice()), {
      message: /^encrypted: it is protected by a password/u,
    })
})

test('a PDF with a password is reported as encrypted', async t => {
  const key = `<${'5a'.repeat(32)}>`
  const encryption = `/Encrypt << /Filter /Standard /V 1 /R 2 /O ${key} /U ${key} /P -4 >> /ID [${key}${key}]`
  const bytes = Buffer.from(documents.pdf(['Kept to myself']))
    .toString('latin1')
    .replace('trailer\n<< ', `trailer\n<< ${encryption} `)
  await t.throwsAsync(text('a.pdf', Buffer.from(bytes, 'latin1')), {
    message: /^encrypted: it is protected by a password/u,
  })
})

test('text that tracked changes deleted is not read', async t => {
  for (const name of ['tracked.doc', 'tracked.rtf'])
    t.is(
      (await text(name, fixture(name))).markdown,
      'The crane is run by Pia Lund.\n\nColors of the flags are kept.\n\nLast line.\n',
      name,
    )
  t.is((await text('greek.doc', fixture('greek.doc'))).markdown, 'Πύλη επτά opens first.\n\nLast line.\n')
})

test('hidden sheets are marked in every kind of workbook, also beside an empty sheet', async t => {
  for (const name of ['hidden.xlsx', 'hidden.xls', 'hidden.ods']) {
    const { markdown } = await text(name, fixture(name))
    t.regex(markdown, /## Fleet\n[\s\S]*## Old \(hidden\)\n/, name)
  }
})

test('a code with leading zeros is shown whole, with its sign in front', async t => {
  const parts = unzipSync(fixture('hidden.xlsx'))
  const sheet = 'xl/worksheets/sheet1.xml'
  for (const [value, shown] of [
    ['-42', '-00042'],
    ['41.6', '00042'],
  ]) {
    const content = Buffer.from(parts[sheet] ?? [])
      .toString()
      .replace('<v>42</v>', `<v>${value}</v>`)
    const { markdown } = await text('a.xlsx', zipSync({ ...parts, [sheet]: Buffer.from(content) }))
    t.regex(markdown, new RegExp(`\\| 1234\\.5 \\| ${shown} \\|`, 'u'), value)
  }
})

test('percentages and leading zeros of a workbook are read as shown', async t => {
  const { markdown } = await text('hidden.xlsx', fixture('hidden.xlsx'))
  t.regex(markdown, /\| Aurora \| 25% \| 1234\.5 \| 00042 \| 2026-03-01 \| 1234567 \|/)
  t.regex(markdown, /\| Boreas \| 50\.0% \|/)
})

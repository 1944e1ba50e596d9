import type { Format } from './extraction.js'

/** Hidden sheets and formatted numbers of workbooks, which the reader of office documents does not see. */

const maxUnpackedBytes = 128 * 1024 * 1024

/** Reading of compound files, in which old Office formats keep their streams ([MS-CFB]). */

const signature = 'd0cf11e0a1b11ae1'
const headerBytes = 512
const entryBytes = 128
const shortSector = 64
/** Numbers from here on end or mark a chain. */
const leastMark = 0xffff_fffa

/** A stream of a compound file, with the place in the file of each of its bytes. */
export interface CompoundStream {
  content: Buffer
  /** Returns the offset in the file of a byte of `content`. */
  placeOf(at: number): number
}

/** Says in the headings of hidden sheets that they are hidden: often they have old or trial values. */
export async function withHiddenSheets(markdown: string, bytes: Uint8Array, format: Format): Promise<string> {
  const hidden = new Set(await hiddenSheets(bytes, format))
  if (hidden.size === 0) return markdown
  return markdown.replace(/^## .+$/gmu, heading => {
    const name = heading.slice('## '.length).replaceAll('\\', '')
    return hidden.has(name) ? `${heading} (hidden)` : heading
  })
}

async function hiddenSheets(bytes: Uint8Array, format: Format): Promise<string[]> {
  if (format === 'xls') return hiddenInRecords(bytes)
  const part = format === 'ods' ? 'content.xml' : sheetList
  const text = textOf((await partsOf(bytes, name => name === part))[part])
  if (format === 'ods') return hiddenInOpenDocument(text)
  return tagsOf(text, 'sheet')
    .filter(tag => /^(?:hidden|veryHidden)$/u.test(attributeOf(tag, 'state')))
    .map(tag => attributeOf(tag, 'name'))
}

const sheetList = 'xl/workbook.xml'

/** Sheets of OpenDocument are hidden by their style. */
function hiddenInOpenDocument(content: string): string[] {
  const styles = [
    ...content.matchAll(/<style:style\s([^>]{1,2000})>\s{0,20}<style:table-properties\s([^>]{1,2000})>/gu),
  ]
  const hiding = new Set(
    styles
      .filter(([, , properties = '']) => attributeOf(` ${properties}`, 'table:display') === 'false')
      .map(([, style = '']) => attributeOf(` ${style}`, 'style:name')),
  )
  return tagsOf(content, 'table')
    .filter(tag => hiding.has(attributeOf(tag, 'table:style-name')))
    .map(tag => attributeOf(tag, 'table:name'))
}

/** Record of a sheet in a workbook of Excel 97 ([MS-XLS] 2.4.28). */
const sheetRecord = 0x0085

function hiddenInRecords(bytes: Uint8Array): string[] {
  const names: string[] = []
  try {
    const book = compoundStreams(bytes)?.get('Workbook')?.content ?? Buffer.alloc(0)
    for (let at = 0; at + 4 <= book.length; at += 4 + book.readUInt16LE(at + 2)) {
      if (book.readUInt16LE(at) !== sheetRecord) continue
      const isHidden = (book.readUInt8(at + 8) & 3) !== 0
      const isWide = (book.readUInt8(at + 11) & 1) !== 0
      const end = at + 12 + book.readUInt8(at + 10) * (isWide ? 2 : 1)
      if (isHidden) names.push(book.toString(isWide ? 'utf16le' : 'latin1', at + 12, end))
    }
  } catch (error) {
    // The reader has said already what is wrong with a damaged file.
    if (!(error instanceof RangeError)) throw error
  }
  return names
}

/**
 * Writes shares as percentages and codes with their leading zeros, as the sheet shows them; the reader gives
 * 0.25 for 25 % and 42 for 00042. Separators and currencies are left out, since words are found without them.
 */
export async function withShownNumbers(bytes: Uint8Array): Promise<Uint8Array> {
  const styles = await partsOf(bytes, name => name === cellStyles)
  const patterns = patternsOf(textOf(styles[cellStyles]))
  if (patterns.size === 0) return bytes
  const parts = await partsOf(bytes, () => true)
  const changed = Object.entries(parts).flatMap(([name, content]) => {
    const before = isSheet(name) ? textOf(content) : ''
    const after = before.replace(cells, (cell: string, attributes: string, value: string) => {
      const pattern = patterns.get(cellStyle.exec(attributes)?.[1] ?? '')
      const isNumber = (cellType.exec(attributes)?.[1] ?? 'n') === 'n'
      if (pattern === undefined || !isNumber) return cell
      const rest = attributes.replace(/ t="n"/u, '')
      return `<c${rest} t="str"><v>${shown(Number(value), pattern)}</v></c>`
    })
    return after === before ? [] : [[name, Buffer.from(after)] as const]
  })
  if (changed.length === 0) return bytes
  const { zipSync } = await import('fflate')
  return zipSync({ ...parts, ...Object.fromEntries(changed) }, { level: 0 })
}

const cellStyles = 'xl/styles.xml'
const isSheet = (name: string): boolean => /^xl\/worksheets\/[^/]+\.xml$/u.test(name)
/** A cell with a number and without a formula. */
const cells =
  /<c((?: [a-z]{1,20}="[^"<>]{0,50}"){1,8})>(?:<f>[^<]{0,8192}<\/f>)?<v>(-?[\d.eE+-]{1,30})<\/v><\/c>/gu
const cellStyle = / s="([^"]*)"/u
const cellType = / t="([^"]+)"/u
/** Patterns that workbooks name without defining them. */
const builtIn: readonly [string, string][] = [
  ['9', '0%'],
  ['10', '0.00%'],
]

/** Returns the patterns of percentages and leading zeros, by the number of the cell style. */
function patternsOf(styles: string): Map<string, string> {
  const defined = tagsOf(styles, 'numFmt').map(
    tag => [attributeOf(tag, 'numFmtId'), attributeOf(tag, 'formatCode')] as const,
  )
  const codes = new Map([...builtIn, ...defined])
  const from = styles.indexOf('<cellXfs')
  const list = from < 0 ? '' : styles.slice(from, styles.indexOf('</cellXfs>', from))
  return new Map(
    tagsOf(list, 'xf').flatMap((tag, i) => {
      const code = codes.get(attributeOf(tag, 'numFmtId')) ?? ''
      return /^(?:#,##)?[0#]+(?:\.[0#]+)?\s?%$/u.test(code) || /^00+$/u.test(code) ? [[String(i), code]] : []
    }),
  )
}

function shown(value: number, pattern: string): string {
  if (!pattern.endsWith('%')) {
    const digits = Math.abs(value).toFixed(0).padStart(pattern.length, '0')
    return value < 0 ? `-${digits}` : digits
  }
  const decimals = /\.([0#]+)/u.exec(pattern)?.[1]?.length ?? 0
  return `${(value * 100).toFixed(decimals)}%`
}

/** Returns parts of a package; none of a damaged package, or if they are too large together. */
async function partsOf(
  bytes: Uint8Array,
  isWanted: (name: string) => boolean,
): Promise<Record<string, Uint8Array>> {
  const { unzipSync } = await import('fflate')
  let left = maxUnpackedBytes
  const filter = ({ name, originalSize }: { name: string; originalSize: number }) => {
    if (!isWanted(name)) return false
    left -= originalSize
    return left >= 0
  }
  try {
    const parts = unzipSync(bytes, { filter })
    return left < 0 ? {} : parts
  } catch {
    return {}
  }
}

const textOf = (content: Uint8Array | undefined): string => Buffer.from(content ?? []).toString('utf8')

/** Returns the start tags of elements with a local name, in any namespace. */
function tagsOf(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<(?:\\w{1,20}:)?${name}\\s[^>]{1,2000}>`, 'gu'))].map(([tag]) => tag)
}

/** Returns an attribute with its characters decoded; empty without it. */
function attributeOf(tag: string, name: string): string {
  const value = new RegExp(`\\s${name}="([^"]{0,2000})"`, 'u').exec(tag)?.[1] ?? ''
  return value
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

/**
 * Returns the streams of a compound file by name; undefined for other files.
 *
 * @throws RangeError for a damaged file
 */
export function compoundStreams(bytes: Uint8Array): Map<string, CompoundStream> | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (file.length < headerBytes || file.toString('hex', 0, 8) !== signature) return undefined
  const sector = 2 ** file.readUInt16LE(30)
  if (sector !== 512 && sector !== 4096) return undefined
  const whole: CompoundStream = { content: file.subarray(sector), placeOf: at => sector + at }
  const next = numbersOf(
    Buffer.concat(tablesOf(file, sector).map(table => partOf(whole.content, table, sector))),
  )
  const long = (first: number) => streamOf(whole, sector, chainFrom(first, next))
  const entries = entriesOf(long(file.readUInt32LE(48)).content)
  const area = long(entries.find(({ kind }) => kind === 'root')?.first ?? leastMark)
  const nextShort = numbersOf(long(file.readUInt32LE(60)).content)
  const leastLong = file.readUInt32LE(56)
  const streams = entries.filter(({ kind }) => kind === 'stream')
  return new Map(
    streams.map(({ name, first, size }) => {
      const stream = size < leastLong ? streamOf(area, shortSector, chainFrom(first, nextShort)) : long(first)
      return [name, { ...stream, content: stream.content.subarray(0, size) }]
    }),
  )
}

/** Returns the sectors of the table of chains: the first 109 are in the header, the others in a list. */
function tablesOf(file: Buffer, sector: number): number[] {
  const tables = [...numbersOf(file.subarray(76, headerBytes))]
  let list = file.readUInt32LE(68)
  for (let seen = 0; list < leastMark && seen < file.length / sector; seen++) {
    const numbers = numbersOf(partOf(file.subarray(sector), list, sector))
    tables.push(...numbers.subarray(0, -1))
    list = numbers.at(-1) ?? leastMark
  }
  return tables.filter(table => table < leastMark)
}

interface Entry {
  kind: 'stream' | 'root' | 'other'
  name: string
  first: number
  size: number
}

function entriesOf(directory: Buffer): Entry[] {
  return Array.from({ length: Math.floor(directory.length / entryBytes) }, (_, i) => {
    const entry = directory.subarray(i * entryBytes, (i + 1) * entryBytes)
    const nameBytes = Math.min(64, Math.max(2, entry.readUInt16LE(64))) - 2
    return {
      kind: entry[66] === 2 ? 'stream' : entry[66] === 5 ? 'root' : 'other',
      name: entry.toString('utf16le', 0, nameBytes),
      first: entry.readUInt32LE(116),
      size: entry.readUInt32LE(120),
    }
  })
}

function chainFrom(first: number, next: Uint32Array): number[] {
  const chain: number[] = []
  for (let at = first; at < leastMark && chain.length <= next.length; at = next[at] ?? leastMark)
    chain.push(at)
  return chain
}

/** Returns the parts of a stream that a chain names, as a stream. */
function streamOf(whole: CompoundStream, size: number, chain: readonly number[]): CompoundStream {
  return {
    content: Buffer.concat(chain.map(number => partOf(whole.content, number, size))),
    placeOf: at => whole.placeOf((chain[Math.floor(at / size)] ?? 0) * size + (at % size)),
  }
}

const partOf = (content: Buffer, number: number, size: number): Buffer =>
  content.subarray(number * size, (number + 1) * size)

function numbersOf(bytes: Buffer): Uint32Array {
  return Uint32Array.from({ length: Math.floor(bytes.length / 4) }, (_, i) => bytes.readUInt32LE(4 * i))
}

import { compoundStreams } from './compound-file.js'
import type { Format } from './extraction.js'

/** Hidden sheets and formatted numbers of workbooks, which the reader of office documents does not see. */

const maxUnpackedBytes = 128 * 1024 * 1024

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

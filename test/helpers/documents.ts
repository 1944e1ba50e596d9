import { deflateSync } from 'node:zlib'
import { strToU8, type Zippable, zipSync } from 'fflate'

/** Minimal documents that the readers accept, created by code because CI has no office suite. */
export const documents = { docx, odt, epub, xlsx, ods, pptx, odp, pdf, rtf }

/** Makes a zip of texts or bytes. @param files contents by path */
export function zip(files: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  const entries: Zippable = {}
  for (const [path, content] of Object.entries(files))
    entries[path] =
      typeof content === 'string'
        ? [strToU8(content), { level: path === 'mimetype' ? 0 : 6 }]
        : [content, { level: 1 }]
  return zipSync(entries)
}

const xml = '<?xml version="1.0" encoding="UTF-8"?>'
const packageNs = 'http://schemas.openxmlformats.org/package/2006'
const officeNs = 'http://schemas.openxmlformats.org/officeDocument/2006'
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** An Office package: its main part with its type, and further parts. */
function office(
  main: string,
  type: string,
  parts: Readonly<Record<string, string | Uint8Array>>,
  types: Readonly<Record<string, string>> = {},
): Uint8Array {
  const overrides = Object.entries({ [main]: type, ...types }).map(
    ([path, contentType]) => `<Override PartName="/${path}" ContentType="${contentType}"/>`,
  )
  return zip({
    '[Content_Types].xml': `${xml}<Types xmlns="${packageNs}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${overrides.join('')}</Types>`,
    '_rels/.rels': relations({ r1: ['officeDocument', main] }),
    ...parts,
  })
}

function relations(targets: Readonly<Record<string, readonly [type: string, target: string]>>): string {
  const entries = Object.entries(targets).map(
    ([id, [type, target]]) =>
      `<Relationship Id="${id}" Type="${officeNs}/relationships/${type}" Target="${target}"/>`,
  )
  return `${xml}<Relationships xmlns="${packageNs}/relationships">${entries.join('')}</Relationships>`
}

const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'

function docx(paragraphs: readonly string[], { body }: { body?: string | Uint8Array } = {}): Uint8Array {
  const text = paragraphs.map(one => `<w:p><w:r><w:t>${escaped(one)}</w:t></w:r></w:p>`).join('')
  return office('word/document.xml', wordType, {
    'word/document.xml':
      body ??
      `${xml}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${text}</w:body></w:document>`,
  })
}

const sheetNs = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const spreadsheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** @param secondCell the address that the second cell claims to have */
function xlsx(
  sheets: Readonly<Record<string, readonly (readonly string[])[]>>,
  secondCell = 'B1',
): Uint8Array {
  const names = Object.keys(sheets)
  const parts = Object.fromEntries(
    Object.values(sheets).map((rows, i) => [
      `xl/worksheets/sheet${i + 1}.xml`,
      sheetXml(rows).replace('r="B1"', `r="${secondCell}"`),
    ]),
  )
  const list = names.map((name, i) => `<sheet name="${escaped(name)}" sheetId="${i + 1}" r:id="s${i + 1}"/>`)
  return office(
    'xl/workbook.xml',
    `${spreadsheet}.sheet.main+xml`,
    {
      'xl/workbook.xml': `${xml}<workbook xmlns="${sheetNs}" xmlns:r="${officeNs}/relationships"><sheets>${list.join('')}</sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': relations(
        Object.fromEntries(
          names.map((_, i) => [`s${i + 1}`, ['worksheet', `worksheets/sheet${i + 1}.xml`] as const]),
        ),
      ),
      ...parts,
    },
    Object.fromEntries(Object.keys(parts).map(path => [path, `${spreadsheet}.worksheet+xml`])),
  )
}

function sheetXml(rows: readonly (readonly string[])[]): string {
  const data = rows.map((cells, row) => {
    const texts = cells.map(
      (cell, column) =>
        `<c r="${String.fromCharCode(65 + column)}${row + 1}" t="inlineStr"><is><t>${escaped(cell)}</t></is></c>`,
    )
    return `<row r="${row + 1}">${texts.join('')}</row>`
  })
  return `${xml}<worksheet xmlns="${sheetNs}"><sheetData>${data.join('')}</sheetData></worksheet>`
}

const presentation = 'application/vnd.openxmlformats-officedocument.presentationml'
const slideNs = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="${officeNs}/relationships"`

function pptx(slides: readonly { title: string; text: string }[]): Uint8Array {
  const shape = (id: number, type: string, text: string): string =>
    `<p:sp><p:nvSpPr><p:cNvPr id="${id}" name="${type}"/><p:cNvSpPr/><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>${escaped(text)}</a:t></a:r></a:p></p:txBody></p:sp>`
  const parts = Object.fromEntries(
    slides.map(({ title, text }, i) => [
      `ppt/slides/slide${i + 1}.xml`,
      `${xml}<p:sld ${slideNs}><p:cSld><p:spTree>${shape(2, 'title', title)}${shape(3, 'body', text)}</p:spTree></p:cSld></p:sld>`,
    ]),
  )
  const list = slides.map((_, i) => `<p:sldId id="${256 + i}" r:id="s${i + 1}"/>`)
  return office(
    'ppt/presentation.xml',
    `${presentation}.presentation.main+xml`,
    {
      'ppt/presentation.xml': `${xml}<p:presentation ${slideNs}><p:sldIdLst>${list.join('')}</p:sldIdLst></p:presentation>`,
      'ppt/_rels/presentation.xml.rels': relations(
        Object.fromEntries(
          slides.map((_, i) => [`s${i + 1}`, ['slide', `slides/slide${i + 1}.xml`] as const]),
        ),
      ),
      ...parts,
    },
    Object.fromEntries(Object.keys(parts).map(path => [path, `${presentation}.slide+xml`])),
  )
}

const openNs = ['office', 'text', 'table', 'drawing']
  .map(
    name => `xmlns:${name === 'drawing' ? 'draw' : name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  )
  .join(' ')

/** An OpenDocument package. */
function open(kind: string, body: string): Uint8Array {
  const type = `application/vnd.oasis.opendocument.${kind}`
  return zip({
    mimetype: type,
    'META-INF/manifest.xml': `${xml}<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="${type}"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`,
    'content.xml': `${xml}<office:document-content ${openNs} office:version="1.2"><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
  })
}

function odt(paragraphs: readonly string[]): Uint8Array {
  const [title = '', ...rest] = paragraphs.map(escaped)
  const text = rest.map(one => `<text:p>${one}</text:p>`).join('')
  return open('text', `<text:h text:outline-level="1">${title}</text:h>${text}`)
}

function ods(sheets: Readonly<Record<string, readonly (readonly string[])[]>>): Uint8Array {
  const cell = (text: string): string =>
    `<table:table-cell office:value-type="string"><text:p>${escaped(text)}</text:p></table:table-cell>`
  const tables = Object.entries(sheets).map(([name, rows]) => {
    const lines = rows.map(cells => `<table:table-row>${cells.map(cell).join('')}</table:table-row>`)
    return `<table:table table:name="${escaped(name)}">${lines.join('')}</table:table>`
  })
  return open('spreadsheet', tables.join(''))
}

function odp(slides: readonly { title: string; text: string }[]): Uint8Array {
  const frame = (text: string): string =>
    `<draw:frame><draw:text-box><text:p>${escaped(text)}</text:p></draw:text-box></draw:frame>`
  const pages = slides.map(
    ({ title, text }, i) => `<draw:page draw:name="page${i + 1}">${frame(title)}${frame(text)}</draw:page>`,
  )
  return open('presentation', pages.join(''))
}

function epub(title: string, chapters: readonly string[]): Uint8Array {
  const ids = chapters.map((_, i) => `c${i + 1}`)
  const pages = Object.fromEntries(
    chapters.map((text, i) => [
      `c${i + 1}.xhtml`,
      `${xml}<html xmlns="http://www.w3.org/1999/xhtml"><head><title>${title}</title></head><body><h2>Chapter ${i + 1}</h2><p>${escaped(text)}</p></body></html>`,
    ]),
  )
  const items = ids.map(id => `<item id="${id}" href="${id}.xhtml" media-type="application/xhtml+xml"/>`)
  const spine = ids.map(id => `<itemref idref="${id}"/>`)
  return zip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': `${xml}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
    'book.opf': `${xml}<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${title}</dc:title></metadata><manifest>${items.join('')}</manifest><spine>${spine.join('')}</spine></package>`,
    ...pages,
  })
}

function rtf(paragraphs: readonly string[]): Uint8Array {
  return strToU8(`{\\rtf1\\ansi ${paragraphs.map(one => `${one}\\par `).join('')}}`)
}

/** @param streams contents of the pages; a text becomes one line, bytes are used unchanged */
function pdf(streams: readonly (string | Uint8Array)[], { isPacked = false } = {}): Uint8Array {
  const pages = streams.map((_, i) => `${4 + i * 2} 0 R`)
  const objects: Uint8Array[] = [
    strToU8('<< /Type /Catalog /Pages 2 0 R >>'),
    strToU8(`<< /Type /Pages /Kids [${pages.join(' ')}] /Count ${streams.length} >>`),
    strToU8('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'),
    ...streams.flatMap((content, i) => {
      const drawn =
        typeof content === 'string' ? strToU8(`BT /F1 12 Tf 72 720 Td (${content}) Tj ET`) : content
      const bytes = isPacked ? drawn : deflateSync(drawn)
      return [
        strToU8(
          `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + i * 2} 0 R >>`,
        ),
        Buffer.concat([
          strToU8(`<< /Length ${bytes.length} /Filter /FlateDecode >>\nstream\n`),
          bytes,
          strToU8('\nendstream'),
        ]),
      ]
    }),
  ]
  const parts: Uint8Array[] = [strToU8('%PDF-1.4\n')]
  const places: number[] = []
  let length = parts[0]?.length ?? 0
  const push = (part: Uint8Array): void => {
    parts.push(part)
    length += part.length
  }
  for (const [i, object] of objects.entries()) {
    places.push(length)
    push(Buffer.concat([strToU8(`${i + 1} 0 obj\n`), object, strToU8('\nendobj\n')]))
  }
  const rows = places.map(place => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  const start = length
  push(
    strToU8(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}

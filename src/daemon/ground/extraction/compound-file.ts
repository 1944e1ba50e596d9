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

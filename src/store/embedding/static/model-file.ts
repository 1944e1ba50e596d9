import { createHash } from 'node:crypto'

/** Content of a model file: one vector per unit, as signed bytes and a scale. */
export interface StaticModel {
  /** Each version makes different vectors. */
  version: string
  dimensions: number
  units: Units
  /** One factor per unit. */
  scales: Float32Array
  /** `units.count` rows of `dimensions`. */
  values: Int8Array
}

const newline = 10

/** The file is damaged, or has an unsupported format. */
export class UnreadableModel extends Error {
  override name = 'UnreadableModel'
}

// File format: "MSEM", format number, header length, JSON header, then units, scales and values. The checksum
// covers everything after the header.
const magic = Buffer.from('MSEM')
const format = 1
const fixedBytes = 12

interface Header {
  version: string
  dimensions: number
  units: number
  /** Bytes of the units, one per line. */
  unitBytes: number
  sha256: string
}

export function encodeModel({ version, dimensions, units, scales, values }: StaticModel): Buffer {
  const names = Buffer.from(units.lines)
  const body = Buffer.concat([names, bytesOf(scales), bytesOf(values)])
  const header: Header = {
    version,
    dimensions,
    units: units.count,
    unitBytes: names.length,
    sha256: createHash('sha256').update(body).digest('hex'),
  }
  const json = Buffer.from(JSON.stringify(header))
  const lengths = Buffer.alloc(8)
  lengths.writeUInt32LE(format, 0)
  lengths.writeUInt32LE(json.length, 4)
  return Buffer.concat([magic, lengths, json, body])
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array | Int8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** @throws UnreadableModel when the file is damaged or of another format */
export function decodeModel(file: Buffer): StaticModel {
  const { header, body } = splitFile(file)
  const { version, dimensions, units: count, unitBytes, sha256 } = header
  if (createHash('sha256').update(body).digest('hex') !== sha256)
    throw new UnreadableModel('its checksum differs')
  const units = new Units(body.toString('utf8', 0, unitBytes))
  const scaleBytes = count * Float32Array.BYTES_PER_ELEMENT
  if (units.count !== count || body.length !== unitBytes + scaleBytes + count * dimensions)
    throw new UnreadableModel('its parts do not add up')
  // A copy, because floats must begin at a multiple of four.
  const scales = new Float32Array(Uint8Array.from(body.subarray(unitBytes, unitBytes + scaleBytes)).buffer)
  const values = new Int8Array(body.buffer, body.byteOffset + unitBytes + scaleBytes, count * dimensions)
  return { version, dimensions, units, scales, values }
}

function splitFile(file: Buffer): { header: Header; body: Buffer } {
  if (file.length < fixedBytes || !file.subarray(0, 4).equals(magic))
    throw new UnreadableModel('it is not a model file')
  const found = file.readUInt32LE(4)
  if (found !== format) throw new UnreadableModel(`it has format ${found}, and this release reads ${format}`)
  const headerEnd = fixedBytes + file.readUInt32LE(8)
  try {
    return {
      header: JSON.parse(file.toString('utf8', fixedBytes, headerEnd)) as Header,
      body: file.subarray(headerEnd),
    }
  } catch {
    throw new UnreadableModel('its header is damaged')
  }
}

/**
 * The vocabulary's units and their positions. A `Map` of fifty thousand strings would take three times as
 * long to fill at a daemon's first save or recall, and some MB; this table refers to the text instead.
 */
export class Units {
  /** Offset of each unit. */
  readonly #begins: Uint32Array
  /** Positions plus one, by hash; 0 is free. */
  readonly #slots: Uint32Array

  /** @param lines one unit per line, each with a line break and without duplicates */
  constructor(readonly lines: string) {
    const begins = [0]
    for (let end = lines.indexOf('\n'); end >= 0; end = lines.indexOf('\n', end + 1)) begins.push(end + 1)
    this.#begins = Uint32Array.from(begins)
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * begins.length)))
    this.#fill()
  }

  get count(): number {
    return this.#begins.length - 1
  }

  /** @returns undefined for an unknown unit */
  placeOf(unit: string): number | undefined {
    const { lines } = this
    const mask = this.#slots.length - 1
    for (let slot = hashOf(unit, 0, unit.length) & mask; ; slot = (slot + 1) & mask) {
      const place = this.#slots[slot]! - 1
      if (place < 0) return undefined
      const begin = this.#begins[place]!
      if (lines.charCodeAt(begin + unit.length) === newline && lines.startsWith(unit, begin)) return place
    }
  }

  #fill(): void {
    const [begins, slots] = [this.#begins, this.#slots]
    const mask = slots.length - 1
    for (let place = 0; place < this.count; place++) {
      let slot = hashOf(this.lines, begins[place]!, begins[place + 1]! - 1) & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = place + 1
    }
  }
}

/** FNV-1a over UTF-16 code units. */
function hashOf(text: string, from: number, to: number): number {
  let hash = 0x811c9dc5
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash ^ (hash >>> 15)
}

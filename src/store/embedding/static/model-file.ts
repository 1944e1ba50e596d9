import { createHash } from 'node:crypto'
import { Units } from './units.js'

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

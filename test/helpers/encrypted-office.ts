const sectorBytes = 512
const freeSector = 0xffffffff
const endOfChain = 0xfffffffe
const fatSector = 0xfffffffd
const noEntry = 0xffffffff

/**
 * A docx, xlsx or pptx with a password as Office writes it: a compound file with streams for the encryption
 * data and the encrypted package. The bytes of both streams are placeholders.
 */
export function encryptedOffice(): Uint8Array {
  // Shorter streams would be stored in the mini stream.
  const streams = { EncryptionInfo: Buffer.alloc(4096, 4), EncryptedPackage: Buffer.alloc(4096, 7) }
  const perStream = 4096 / sectorBytes
  const fat = Buffer.alloc(sectorBytes, 0xff)
  const link = (sector: number, next: number): unknown => fat.writeUInt32LE(next >>> 0, sector * 4)
  link(0, fatSector)
  link(1, endOfChain)
  for (let sector = 0; sector < 2 * perStream; sector++)
    link(2 + sector, (sector + 1) % perStream === 0 ? endOfChain : 3 + sector)
  const directory = Buffer.concat([
    entry('Root Entry', { type: 5, child: 1, start: endOfChain, size: 0 }),
    entry('EncryptionInfo', { type: 2, right: 2, start: 2, size: 4096 }),
    entry('EncryptedPackage', { type: 2, start: 2 + perStream, size: 4096 }),
    entry('', { type: 0, start: 0, size: 0 }),
  ])
  return Buffer.concat([header(), fat, directory, ...Object.values(streams)])
}

function header(): Buffer {
  const bytes = Buffer.alloc(sectorBytes, 0)
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(bytes)
  for (const [at, value] of [
    [24, 0x3e],
    [26, 3],
    [28, 0xfffe],
    [30, 9],
    [32, 6],
  ] as const)
    bytes.writeUInt16LE(value, at)
  for (const [at, value] of [
    [44, 1],
    [48, 1],
    [56, 4096],
    [60, endOfChain],
    [68, endOfChain],
    [76, 0],
  ] as const)
    bytes.writeUInt32LE(value, at)
  for (let at = 80; at < sectorBytes; at += 4) bytes.writeUInt32LE(freeSector, at)
  return bytes
}

function entry(
  name: string,
  {
    type,
    child = noEntry,
    right = noEntry,
    start,
    size,
  }: Record<'type' | 'start' | 'size', number> & {
    child?: number
    right?: number
  },
): Buffer {
  const bytes = Buffer.alloc(128, 0)
  bytes.write(name, 'utf16le')
  bytes.writeUInt16LE(name === '' ? 0 : (name.length + 1) * 2, 64)
  bytes.writeUInt8(type, 66)
  bytes.writeUInt8(1, 67)
  bytes.writeUInt32LE(noEntry, 68)
  bytes.writeUInt32LE(right, 72)
  bytes.writeUInt32LE(child, 76)
  bytes.writeUInt32LE(start >>> 0, 116)
  bytes.writeUInt32LE(size, 120)
  return bytes
}

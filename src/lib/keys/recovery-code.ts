import { createHash, randomBytes } from 'node:crypto'

/** Crockford's digits: no letter looks like another or like a number. */
export const codeDigits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const seedBytes = 16
const checkBits = 12n
/** 128 bits of the seed and 12 of the checksum, five in each digit. */
const length = 28
const groupLength = 4

/** A new recovery code: 128 random bits and a checksum, in seven groups of four. */
export function newRecoveryCode(): string {
  return recoveryCodeOf(randomBytes(seedBytes))
}

/** Writes 16 bytes as a code. */
export function recoveryCodeOf(seed: Uint8Array): string {
  let rest = (BigInt(`0x${Buffer.from(seed).toString('hex')}`) << checkBits) | checksumOf(seed)
  let text = ''
  for (let at = 0; at < length; at++) {
    text = codeDigits.charAt(Number(rest & 31n)) + text
    rest >>= 5n
  }
  const groups = Array.from({ length: length / groupLength }, (_, at) =>
    text.slice(at * groupLength, (at + 1) * groupLength),
  )
  return groups.join('-')
}

/** The digits of a code as a person typed it: any case, spaces or hyphens, O for 0, I and L for 1. */
export function typedDigits(typed: string): string {
  return typed.toUpperCase().replace(/[\s-]/gu, '').replace(/O/gu, '0').replace(/[IL]/gu, '1')
}

/**
 * Reads a recovery code as a person typed it.
 * @returns undefined when it is incomplete or mistyped.
 */
export function seedOfRecoveryCode(typed: string): Buffer | undefined {
  const text = typedDigits(typed)
  if (text.length !== length) return undefined
  let value = 0n
  for (const character of text) {
    const digit = codeDigits.indexOf(character)
    if (digit < 0) return undefined
    value = (value << 5n) | BigInt(digit)
  }
  const hex = (value >> checkBits).toString(16).padStart(seedBytes * 2, '0')
  const seed = Buffer.from(hex, 'hex')
  return checksumOf(seed) === (value & ((1n << checkBits) - 1n)) ? seed : undefined
}

function checksumOf(seed: Uint8Array): bigint {
  const hash = createHash('sha256').update('memory-service recovery code').update(seed).digest()
  return BigInt(hash.readUInt16BE(0) >> 4)
}

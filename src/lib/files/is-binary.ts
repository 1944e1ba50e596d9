/** Binary data bytes of the WHATWG MIME Sniffing standard; ESC, TAB, LF, FF and CR occur in text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what it looks for
const binaryByte = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/
const sliceBytes = 64 * 1024

/**
 * Returns true for bytes that cannot be text: they hold a binary data byte and begin without a byte order
 * mark (contract.md, "Binary files").
 */
export function isBinary(bytes: Uint8Array): boolean {
  return !hasByteOrderMark(bytes) && holdsBinaryByte(bytes)
}

/** Returns true if any byte is a binary data byte. A step of 256 KiB takes under a millisecond. */
export function holdsBinaryByte(bytes: Uint8Array): boolean {
  const { buffer, byteOffset, length } = bytes
  for (let at = 0; at < length; at += sliceBytes) {
    const size = Math.min(sliceBytes, length - at)
    if (binaryByte.test(Buffer.from(buffer, byteOffset + at, size).toString('latin1'))) return true
  }
  return false
}

/** Returns true for the marks of UTF-8 and of both forms of UTF-16. */
export function hasByteOrderMark([first, second, third]: Uint8Array): boolean {
  if (first === 0xef) return second === 0xbb && third === 0xbf
  return (first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe)
}

/** All bytes of a body. @throws `tooLarge()` when there are more than `maxBytes`; the rest is not read then. */
export async function readAtMost(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<Buffer> {
  const { bytes, isCut } = await readBeginning(body, maxBytes)
  if (isCut) throw tooLarge()
  return bytes
}

/** The first `maxBytes` bytes of a body; `isCut`: there are more, of which no more is read than the piece that said so. */
export async function readBeginning(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ bytes: Buffer; isCut: boolean }> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body) {
    size += piece.length
    pieces.push(piece)
    if (size > maxBytes) break
  }
  return { bytes: Buffer.concat(pieces).subarray(0, maxBytes), isCut: size > maxBytes }
}

/** One encoded field of a protobuf message: its tag and its value. */
export type ProtobufField = Uint8Array

/** @param fields encoded fields, in the order they are written */
export function message(...fields: ProtobufField[]): Uint8Array {
  return Buffer.concat(fields)
}

/** A field with a non-negative integer (varint) or with bytes: a string, a packed list or another message. */
export function field(number: number, value: number | bigint | Uint8Array): ProtobufField {
  if (typeof value !== 'object') return Buffer.concat([varint(number << 3), varint(value)])
  return Buffer.concat([varint((number << 3) | 2), varint(value.length), value])
}

export function text(value: string): Uint8Array {
  return Buffer.from(value, 'utf8')
}

function varint(value: number | bigint): Uint8Array {
  const bytes = []
  let rest = BigInt(value)
  while (rest > 127n) {
    bytes.push(Number(rest % 128n) + 128)
    rest /= 128n
  }
  return Uint8Array.from([...bytes, Number(rest)])
}

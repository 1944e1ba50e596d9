import { field, message, type ProtobufField, text } from './protobuf.js'

/** Values of onnx.TensorProto.DataType. */
export const elementType = { float: 1, uint8: 2, int8: 3, int32: 6, int64: 7 } as const

// Values of onnx.AttributeProto.AttributeType.
const attributeType = { int: 2, ints: 7 }

/** Attributes of an operation: an integer or several. */
export type Attributes = Readonly<Record<string, number | readonly number[]>>

/** An operation of a graph, named after its first output. */
export function node(
  operation: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: Attributes = {},
): ProtobufField {
  const names = [...inputs.map(name => field(1, text(name))), ...outputs.map(name => field(2, text(name)))]
  const given = Object.entries(attributes).map(([name, value]) => field(5, attribute(name, value)))
  return field(1, message(...names, field(3, text(outputs[0] ?? '')), field(4, text(operation)), ...given))
}

function attribute(name: string, value: number | readonly number[]): Uint8Array {
  if (typeof value === 'number')
    return message(field(1, text(name)), field(3, signed(value)), field(20, attributeType.int))
  return message(
    field(1, text(name)),
    ...value.map(one => field(8, signed(one))),
    field(20, attributeType.ints),
  )
}

/** Encodes a negative axis as protobuf does: the two's complement in 64 bits. */
function signed(value: number): number | bigint {
  return value < 0 ? BigInt.asUintN(64, BigInt(value)) : value
}

/** A constant of a graph. @param raw its values, little endian */
export function tensor(name: string, type: number, shape: readonly number[], raw: Uint8Array): ProtobufField {
  const sizes = shape.map(size => field(1, size))
  return field(5, message(...sizes, field(2, type), field(8, text(name)), field(9, raw)))
}

/** Constants of 32 bit floats. */
export function floats(name: string, shape: readonly number[], values: Iterable<number>): ProtobufField {
  return tensor(name, elementType.float, shape, new Uint8Array(Float32Array.from(values).buffer))
}

/** An input; a dimension given by name is variable. */
export function input(name: string, type: number, shape: readonly (string | number)[]): ProtobufField {
  return field(11, valueInfo(name, type, shape))
}

export function output(name: string, type: number, shape: readonly (string | number)[]): ProtobufField {
  return field(12, valueInfo(name, type, shape))
}

function valueInfo(name: string, type: number, shape: readonly (string | number)[]): Uint8Array {
  const sizes = shape.map(size =>
    field(1, message(typeof size === 'number' ? field(1, size) : field(2, text(size)))),
  )
  const tensorType = message(field(1, type), field(2, message(...sizes)))
  return message(field(1, text(name)), field(2, message(field(1, tensorType))))
}

interface Model {
  /** Name of the graph. */
  name: string
  /** The program that made it. */
  producer: string
  /** Operations, each after those whose results it uses. */
  nodes: readonly ProtobufField[]
  /** Constants, inputs and outputs. */
  values: readonly ProtobufField[]
}

/** The file of a model, with operators of version 13. */
export function onnxFile({ name, producer, nodes, values }: Model): Uint8Array {
  return message(
    field(1, 8),
    field(2, text(producer)),
    field(7, message(...nodes, field(2, text(name)), ...values)),
    field(8, message(field(1, text('')), field(2, 13))),
  )
}

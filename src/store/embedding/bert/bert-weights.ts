/** A matrix of signed bytes: `columns[to * inputs + from]` times `scales[to]`, plus `biases[to]`. */
export interface QuantisedMatrix {
  inputs: number
  outputs: number
  columns: Int8Array
  scales: Float32Array
  biases: Float32Array
}

export interface Norm {
  gains: Float32Array
  shifts: Float32Array
}

export interface BertLayer {
  query: QuantisedMatrix
  key: QuantisedMatrix
  value: QuantisedMatrix
  attended: QuantisedMatrix
  attendedNorm: Norm
  up: QuantisedMatrix
  down: QuantisedMatrix
  downNorm: Norm
}

/** One row of bytes per number, each with its scale. */
export interface QuantisedRows {
  rows: Int8Array
  scales: Float32Array
}

export interface BertWeights {
  width: number
  words: QuantisedRows
  positions: QuantisedRows
  /** The vector of the first sentence, added to every token. */
  kind: Float32Array
  norm: Norm
  layers: BertLayer[]
}

// Values of onnx.TensorProto.DataType.
const [float, int8] = [1, 3]

interface Tensor {
  shape: number[]
  type: number
  bytes: Uint8Array
}

interface Node {
  operation: string
  inputs: string[]
  output: string
}

/**
 * Reads the weights of a BERT encoder from an ONNX file whose matrices are signed bytes with one scale per
 * output, multiplied back before use.
 * @returns undefined for any other graph
 */
export function readBertWeights(file: Uint8Array): BertWeights | undefined {
  const graph = fieldsOf(file).find(({ number }) => number === 7)?.bytes
  if (!graph) return undefined
  const { tensors, nodes } = readGraph(graph)
  const added = new Map(nodes.filter(isAdd).map(({ inputs }) => [inputs[0], inputs[1]]))
  const byBias = new Map(
    nodes
      .filter(({ operation }) => operation === 'MatMul')
      .map(({ inputs, output }) => [added.get(output), inputs[1]]),
  )
  const stem = [...tensors.keys()].find(name => name.endsWith(wordNames))?.slice(0, -wordNames.length)
  if (stem === undefined) return undefined
  try {
    return weightsIn({ tensors, byBias, stem })
  } catch (error) {
    if (error instanceof OtherGraph) return undefined
    throw error
  }
}

const wordNames = 'embeddings.word_embeddings.weight_q'

const isAdd = ({ operation }: Node): boolean => operation === 'Add'

class OtherGraph extends Error {}

interface NamedTensors {
  tensors: ReadonlyMap<string, Tensor>
  /** The matrix before each addition of a bias, by the name of the bias. */
  byBias: ReadonlyMap<string | undefined, string | undefined>
  /** The start of all names of the model. */
  stem: string
}

function weightsIn(named: NamedTensors): BertWeights {
  const { tensors, stem } = named
  const floats = (name: string): Float32Array => floatsOf(found(tensors, name))
  const bytes = (name: string): Int8Array => bytesOf(found(tensors, name))
  const norm = (name: string): Norm => ({
    gains: floats(`${stem}${name}.weight`),
    shifts: floats(`${stem}${name}.bias`),
  })
  const rows = (name: string): QuantisedRows => ({
    rows: bytes(`${stem}embeddings.${name}.weight_q`),
    scales: floats(`${stem}embeddings.${name}.weight_scale`),
  })
  const matrix = (name: string): QuantisedMatrix => {
    const bias = `${stem}${name}.bias`
    const weights = named.byBias.get(bias) ?? missing(bias)
    const { shape, ...tensor } = found(tensors, `${weights}_q`)
    const [inputs = 0, outputs = 0] = shape
    const columns = transposed(bytesOf({ shape, ...tensor }), inputs, outputs)
    return { inputs, outputs, columns, scales: floats(`${weights}_scale`), biases: floats(bias) }
  }
  const layers: BertLayer[] = []
  for (;;) {
    const at = `encoder.layer.${layers.length}`
    if (!tensors.has(`${stem}${at}.output.dense.bias`)) break
    layers.push({
      query: matrix(`${at}.attention.self.query`),
      key: matrix(`${at}.attention.self.key`),
      value: matrix(`${at}.attention.self.value`),
      attended: matrix(`${at}.attention.output.dense`),
      attendedNorm: norm(`${at}.attention.output.LayerNorm`),
      up: matrix(`${at}.intermediate.dense`),
      down: matrix(`${at}.output.dense`),
      downNorm: norm(`${at}.output.LayerNorm`),
    })
  }
  const embedded = norm('embeddings.LayerNorm')
  const width = embedded.gains.length
  const kinds = floats(`${stem}embeddings.token_type_embeddings.weight`)
  return {
    width,
    words: rows('word_embeddings'),
    positions: rows('position_embeddings'),
    kind: kinds.slice(0, width),
    norm: embedded,
    layers,
  }
}

function found(tensors: ReadonlyMap<string, Tensor>, name: string): Tensor {
  return tensors.get(name) ?? missing(name)
}

function missing(name: string): never {
  throw new OtherGraph(name)
}

function bytesOf({ type, bytes }: Tensor): Int8Array {
  if (type !== int8) throw new OtherGraph()
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** Copies, since numbers in the file need not be aligned. */
function floatsOf({ type, bytes }: Tensor): Float32Array {
  if (type !== float) throw new OtherGraph()
  return new Float32Array(Uint8Array.from(bytes).buffer)
}

function transposed(rows: Int8Array, inputs: number, outputs: number): Int8Array {
  const columns = new Int8Array(rows.length)
  for (let from = 0; from < inputs; from++)
    for (let to = 0; to < outputs; to++) columns[to * inputs + from] = rows[from * outputs + to]!
  return columns
}

function readGraph(graph: Uint8Array): { tensors: Map<string, Tensor>; nodes: Node[] } {
  const tensors = new Map<string, Tensor>()
  const nodes: Node[] = []
  for (const { number, bytes } of fieldsOf(graph)) {
    if (number === 1 && bytes) nodes.push(nodeOf(bytes))
    if (number !== 5 || !bytes) continue
    const fields = fieldsOf(bytes)
    const only = (wanted: number) => fields.find(field => field.number === wanted)
    tensors.set(textOf(only(8)), {
      shape: fields.filter(field => field.number === 1).map(({ value }) => value),
      type: only(2)?.value ?? 0,
      bytes: only(9)?.bytes ?? new Uint8Array(0),
    })
  }
  return { tensors, nodes }
}

function nodeOf(bytes: Uint8Array): Node {
  const fields = fieldsOf(bytes)
  const all = (number: number) => fields.filter(field => field.number === number).map(textOf)
  return { operation: all(4)[0] ?? '', inputs: all(1), output: all(2)[0] ?? '' }
}

/** A field of a protobuf message: an integer, or bytes. */
interface Field {
  number: number
  value: number
  bytes: Uint8Array | undefined
}

const textOf = (field: Field | undefined): string => Buffer.from(field?.bytes ?? []).toString('utf8')

/** @throws RangeError if the message is cut off */
function fieldsOf(message: Uint8Array): Field[] {
  const fields: Field[] = []
  let at = 0
  const integer = (): number => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = message[at++]
      if (byte === undefined) throw new RangeError('the model file is cut off')
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }
  const skip = (length: number): Uint8Array => {
    at += length
    return message.subarray(at - length, at)
  }
  while (at < message.length) {
    const tag = integer()
    const [number, wire] = [Math.floor(tag / 8), tag % 8]
    if (wire === 0) fields.push({ number, value: integer(), bytes: undefined })
    else fields.push({ number, value: 0, bytes: skip(wire === 2 ? integer() : wire === 5 ? 4 : 8) })
  }
  return fields
}

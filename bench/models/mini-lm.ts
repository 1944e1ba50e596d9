import { elementType, floats, input, node, onnxFile, output, tensor } from '../../scripts/onnx.js'
import type { ProtobufField } from '../../scripts/protobuf.js'

const [hidden, heads, layers, inner, words, positions] = [384, 12, 6, 1536, 30_522, 512]

/**
 * Builds a model of the size and operations of all-MiniLM-L6-v2, which needs a network to download. It has
 * six layers, eight-bit weights, and quantises every matrix product on the fly. Its weights are random: its
 * output is meaningless but takes the same time.
 */
export function miniLmFile(): Uint8Array {
  const graph = new Graph()
  let state = graph.embed()
  for (let layer = 0; layer < layers; layer++) state = graph.layer(`l${layer}`, state)
  graph.add('Identity', [state], 'last_hidden_state')
  const { nodes, constants } = graph
  return onnxFile({
    name: 'mini-lm',
    producer: 'bench',
    nodes,
    values: [
      ...constants,
      ...['input_ids', 'attention_mask', 'token_type_ids'].map(name =>
        input(name, elementType.int64, ['batch', 'sequence']),
      ),
      output('last_hidden_state', elementType.float, ['batch', 'sequence', hidden]),
    ],
  })
}

class Graph {
  readonly nodes: ProtobufField[] = []
  readonly constants: ProtobufField[] = [
    tensor('zero', elementType.uint8, [], Uint8Array.of(128)),
    tensor('per head', elementType.int64, [4], int64s([0, 0, heads, hidden / heads])),
    tensor('joined', elementType.int64, [3], int64s([0, 0, hidden])),
    tensor('axes 1 2', elementType.int64, [2], int64s([1, 2])),
    ...Object.entries({
      scale: 0.02,
      'root of head': Math.sqrt(hidden / heads),
      'root of two': Math.SQRT2,
      one: 1,
      two: 2,
      half: 0.5,
      least: 1e-12,
      'far below': -10_000,
    }).map(([name, value]) => floats(name, [], [value])),
  ]

  add(operation: string, inputs: string[], name: string, attributes = {}): string {
    this.nodes.push(node(operation, inputs, [name], attributes))
    return name
  }

  /** Sums the embeddings of words, positions and token types. */
  embed(): string {
    const table = (name: string, count: number, ids: string): string => {
      this.constants.push(
        tensor(`${name} table`, elementType.uint8, [count, hidden], weights(count * hidden)),
      )
      const rows = this.add('Gather', [`${name} table`, ids], `${name} bytes`)
      return this.add('DequantizeLinear', [rows, 'scale', 'zero'], `${name} rows`)
    }
    const ones = this.add('Cast', ['attention_mask'], 'ones', { to: elementType.float })
    this.constants.push(tensor('axis 1', elementType.int64, [], int64s([1])))
    const sums = this.add('CumSum', [ones, 'axis 1'], 'sums')
    const places = this.add('Cast', [this.add('Sub', [sums, 'one'], 'from 0')], 'places', {
      to: elementType.int64,
    })
    const known = this.add(
      'Add',
      [table('word', words, 'input_ids'), table('kind', 2, 'token_type_ids')],
      'known',
    )
    const hiddenOut = this.add('Sub', ['one', ones], 'hidden out')
    const wide = this.add('Unsqueeze', [hiddenOut, 'axes 1 2'], 'wide')
    this.add('Mul', [wide, 'far below'], 'mask')
    return this.normalized('embedding', [known, table('place', positions, places)])
  }

  layer(name: string, rows: string): string {
    const perHead = (what: string, perm: number[]): string => {
      const made = this.product(`${name} ${what}`, rows, hidden, hidden)
      const split = this.add('Reshape', [made, 'per head'], `${name} ${what} split`)
      return this.add('Transpose', [split], `${name} ${what} turned`, { perm })
    }
    const asked = this.add(
      'MatMul',
      [perHead('query', [0, 2, 1, 3]), perHead('key', [0, 2, 3, 1])],
      `${name} asked`,
    )
    const scaled = this.add('Div', [asked, 'root of head'], `${name} scaled`)
    const seen = this.add('Add', [scaled, 'mask'], `${name} seen`)
    const shares = this.add('Softmax', [seen], `${name} shares`, { axis: -1 })
    const heard = this.add('MatMul', [shares, perHead('value', [0, 2, 1, 3])], `${name} heard`)
    const turned = this.add('Transpose', [heard], `${name} back`, { perm: [0, 2, 1, 3] })
    const joined = this.add('Reshape', [turned, 'joined'], `${name} joined`)
    const attended = this.normalized(`${name} attention`, [
      rows,
      this.product(`${name} out`, joined, hidden, hidden),
    ])
    const wide = this.gelu(name, this.product(`${name} up`, attended, hidden, inner))
    return this.normalized(`${name} end`, [attended, this.product(`${name} down`, wide, inner, hidden)])
  }

  /** Multiplies rows, quantised by their own range, with a matrix of bytes, and adds a bias. */
  product(name: string, rows: string, from: number, to: number): string {
    this.constants.push(
      tensor(`${name} matrix`, elementType.uint8, [from, to], weights(from * to)),
      floats(`${name} bias`, [to], new Float32Array(to).fill(0.01)),
    )
    const [bytes, scale, zero] = ['bytes', 'scale', 'zero'].map(part => `${name} ${part}`) as [
      string,
      string,
      string,
    ]
    this.nodes.push(node('DynamicQuantizeLinear', [rows], [bytes, scale, zero]))
    const sums = this.add('MatMulInteger', [bytes, `${name} matrix`, zero, 'zero'], `${name} sums`)
    const cast = this.add('Cast', [sums], `${name} cast`, { to: elementType.float })
    const scales = this.add('Mul', [scale, 'scale'], `${name} scales`)
    const made = this.add('Mul', [cast, scales], `${name} made`)
    return this.add('Add', [made, `${name} bias`], `${name} rows`)
  }

  gelu(name: string, rows: string): string {
    const erf = this.add('Erf', [this.add('Div', [rows, 'root of two'], `${name} part`)], `${name} erf`)
    const gate = this.add('Add', [erf, 'one'], `${name} gate`)
    return this.add('Mul', [this.add('Mul', [rows, gate], `${name} gated`), 'half'], `${name} gelu`)
  }

  /** Adds two inputs and normalises each row to mean 0 and variance 1. */
  normalized(name: string, summed: [string, string]): string {
    this.constants.push(
      floats(`${name} gain`, [hidden], new Float32Array(hidden).fill(1)),
      floats(`${name} shift`, [hidden], new Float32Array(hidden)),
    )
    const rows = this.add('Add', summed, `${name} sum`)
    const axes = { axes: [-1], keepdims: 1 }
    const apart = this.add(
      'Sub',
      [rows, this.add('ReduceMean', [rows], `${name} mean`, axes)],
      `${name} apart`,
    )
    const squares = this.add('Pow', [apart, 'two'], `${name} squares`)
    const variance = this.add('ReduceMean', [squares], `${name} variance`, axes)
    const width = this.add('Sqrt', [this.add('Add', [variance, 'least'], `${name} above`)], `${name} width`)
    const even = this.add('Div', [apart, width], `${name} even`)
    const gained = this.add('Mul', [even, `${name} gain`], `${name} gained`)
    return this.add('Add', [gained, `${name} shift`], `${name} normal`)
  }
}

function int64s(values: readonly number[]): Uint8Array {
  return new Uint8Array(BigInt64Array.from(values.map(BigInt)).buffer)
}

/** Bytes around 128 from a fixed seed. */
function weights(count: number): Uint8Array {
  let state = count
  return Uint8Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return 128 + (state >> 28)
  })
}

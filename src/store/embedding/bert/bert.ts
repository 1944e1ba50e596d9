import { instantiateKernel } from '../../index/vectors/kernel-memory.js'
import { bertKernelCode } from './bert-kernel-code.js'
import type { BertLayer, BertWeights, Norm, QuantisedMatrix } from './bert-weights.js'

/** Numbers of one attention head; the kernel is written for it. */
const headWidth = 32
const normEpsilon = 1e-12

interface Kernel {
  product(
    rows: number,
    columns: number,
    inputs: number,
    outputs: number,
    scales: number,
    biases: number,
    out: number,
    factors: number,
  ): void
  round(from: number, width: number, to: number): number
  share(scores: number, count: number, root: number): void
  match(query: number, keys: number, stride: number, count: number, out: number): void
  gather(shares: number, values: number, stride: number, count: number, out: number): void
}

/** A matrix in the kernel's memory; addresses in bytes. */
interface PlacedMatrix extends Pick<QuantisedMatrix, 'inputs' | 'outputs'> {
  columns: number
  scales: number
  biases: number
}

type PlacedLayer = Record<Matrices, PlacedMatrix> & Pick<BertLayer, 'attendedNorm' | 'downNorm'>
type Matrices = 'query' | 'key' | 'value' | 'attended' | 'up' | 'down'
const matrices: readonly Matrices[] = ['query', 'key', 'value', 'attended', 'up', 'down']

/** Addresses in bytes of the arrays of one run. */
interface Buffers {
  hidden: number
  query: number
  key: number
  value: number
  context: number
  inner: number
  rounded: number
  factors: number
  scores: number
}

/** A sentence model that runs without a runtime library; see docs/embedding-model.md. */
export interface Bert {
  width: number
  /** Largest number of tokens of a text. */
  longest: number
  /** @param ids at most `longest` tokens; @returns the mean of their vectors, not scaled to unit length */
  embed(ids: readonly number[]): Float32Array
}

/**
 * Places the weights in the memory of a WebAssembly kernel: about 27 MB for MiniLM. The matrices stay signed
 * bytes; activations are rounded to 12 bits per token, which is finer than the weights.
 * @returns undefined if WebAssembly SIMD is missing, or heads have another width
 */
export function createBert(weights: BertWeights, heads: number, longest: number): Bert | undefined {
  const { width, layers } = weights
  const kernel = instantiateKernel<Kernel>(bertKernelCode)
  if (!kernel || width !== heads * headWidth) return undefined
  const { memory, exports } = kernel
  const place = placer(memory)
  const placed = layers.map(layer => placedLayer(layer, place))
  const inner = layers[0]?.up.outputs ?? 0
  const tokens = upToFour(longest)
  const rows = (numbers: number): number => place.room(tokens * numbers * 4)
  const buffers: Buffers = {
    hidden: rows(width),
    query: rows(width),
    key: rows(width),
    value: rows(width),
    context: rows(width),
    inner: rows(inner),
    rounded: rows(inner / 2),
    factors: rows(1),
    scores: rows(1),
  }
  const run = new Run(memory.buffer, exports, { width, heads, buffers })
  return {
    width,
    longest,
    embed(ids) {
      run.count = ids.length
      embedTokens(run, weights, ids)
      for (const layer of placed) runLayer(run, layer)
      return run.mean()
    },
  }
}

interface Placer {
  room(bytes: number): number
  bytes(values: Int8Array): number
  floats(values: Float32Array): number
}

function placer(memory: { readonly buffer: ArrayBuffer; reserve(bytes: number): boolean }): Placer {
  let end = 0
  const room = (bytes: number): number => {
    const at = end
    end += Math.ceil(bytes / 16) * 16
    memory.reserve(end)
    return at
  }
  return {
    room,
    bytes(values) {
      const at = room(values.length)
      new Int8Array(memory.buffer, at, values.length).set(values)
      return at
    },
    floats(values) {
      const at = room(values.length * 4)
      new Float32Array(memory.buffer, at, values.length).set(values)
      return at
    },
  }
}

function placedLayer(layer: BertLayer, place: Placer): PlacedLayer {
  const placed = Object.fromEntries(
    matrices.map(name => {
      const { inputs, outputs, columns, scales, biases } = layer[name]
      return [
        name,
        {
          inputs,
          outputs,
          columns: place.bytes(columns),
          scales: place.floats(scales),
          biases: place.floats(biases),
        },
      ]
    }),
  ) as Record<Matrices, PlacedMatrix>
  return { ...placed, attendedNorm: layer.attendedNorm, downNorm: layer.downNorm }
}

const upToFour = (count: number): number => Math.ceil(count / 4) * 4

/** The arrays of one text on its way through the layers. */
class Run {
  /** Tokens of the text. */
  count = 0
  readonly floats: Float32Array
  readonly width: number
  readonly heads: number
  readonly at: Buffers

  constructor(
    buffer: ArrayBuffer,
    readonly kernel: Kernel,
    sizes: { width: number; heads: number; buffers: Buffers },
  ) {
    this.floats = new Float32Array(buffer)
    this.width = sizes.width
    this.heads = sizes.heads
    this.at = sizes.buffers
  }

  /** Rounds `count` rows of `width` numbers for `multiply`; rows up to the next multiple of 4 are zero. */
  round(from: number, width: number): void {
    const { count, at, kernel } = this
    for (let row = 0; row < count; row++)
      this.floats[at.factors / 4 + row] = kernel.round(
        from + row * width * 4,
        width,
        at.rounded + row * width * 2,
      )
    const end = at.rounded / 4 + (count * width) / 2
    this.floats.fill(0, end, end + ((upToFour(count) - count) * width) / 2)
  }

  /** Multiplies the rounded rows, four at a time, with a matrix. */
  multiply({ inputs, outputs, columns, scales, biases }: PlacedMatrix, out: number): void {
    const { at, count, kernel } = this
    for (let row = 0; row < count; row += 4)
      kernel.product(
        at.rounded + row * inputs * 2,
        columns,
        inputs,
        outputs,
        scales,
        biases,
        out + row * outputs * 4,
        at.factors + row * 4,
      )
  }

  mean(): Float32Array {
    const { floats, width, count, at } = this
    const mean = new Float32Array(width)
    for (let row = 0, i = at.hidden / 4; row < count; row++)
      for (let to = 0; to < width; to++) mean[to]! += floats[i++]! / count
    return mean
  }
}

function embedTokens(run: Run, { words, positions, kind, norm }: BertWeights, ids: readonly number[]): void {
  const { floats, width, at } = run
  let to = at.hidden / 4
  for (const [position, id] of ids.entries())
    for (let i = 0; i < width; i++)
      floats[to++] =
        words.rows[id * width + i]! * words.scales[id]! +
        positions.rows[position * width + i]! * positions.scales[position]! +
        kind[i]!
  normalise(run, norm)
}

function runLayer(run: Run, layer: PlacedLayer): void {
  const { at, width } = run
  run.round(at.hidden, width)
  run.multiply(layer.query, at.query)
  run.multiply(layer.key, at.key)
  run.multiply(layer.value, at.value)
  attend(run)
  run.round(at.context, width)
  run.multiply(layer.attended, at.query)
  add(run, at.query)
  normalise(run, layer.attendedNorm)
  run.round(at.hidden, width)
  run.multiply(layer.up, at.inner)
  gelu(run, layer.up.outputs)
  run.round(at.inner, layer.down.inputs)
  run.multiply(layer.down, at.query)
  add(run, at.query)
  normalise(run, layer.downNorm)
}

/** Attention of all heads, from `query`, `key` and `value` to `context`. */
function attend({ kernel, floats, at, width, heads, count }: Run): void {
  const stride = width * 4
  const padded = upToFour(count)
  const first = at.scores / 4
  const root = 1 / Math.sqrt(headWidth)
  for (let head = 0; head < heads; head++) {
    const offset = head * headWidth * 4
    for (let token = 0; token < count; token++) {
      const row = token * stride + offset
      kernel.match(at.query + row, at.key + offset, stride, padded, at.scores)
      floats.fill(-Infinity, first + count, first + padded)
      kernel.share(at.scores, padded, root)
      kernel.gather(at.scores, at.value + offset, stride, count, at.context + row)
    }
  }
}

function add({ floats, at, width, count }: Run, from: number): void {
  for (let i = at.hidden / 4, j = from / 4, end = i + count * width; i < end; i++, j++)
    floats[i]! += floats[j]!
}

/** Layer normalisation of `hidden`. */
function normalise({ floats, at, width, count }: Run, { gains, shifts }: Norm): void {
  for (let row = 0, start = at.hidden / 4; row < count; row++, start += width) {
    let sum = 0
    for (let i = start; i < start + width; i++) sum += floats[i]!
    const mean = sum / width
    let squares = 0
    for (let i = start; i < start + width; i++) squares += (floats[i]! - mean) ** 2
    const factor = 1 / Math.sqrt(squares / width + normEpsilon)
    for (let i = 0; i < width; i++)
      floats[start + i] = (floats[start + i]! - mean) * factor * gains[i]! + shifts[i]!
  }
}

const geluSteps = 512
const geluRange = 6
/** Values of x times the normal distribution function from -6 to 6. */
const geluTable = Float32Array.from({ length: 2 * geluRange * geluSteps + 2 }, (_, i) => {
  const x = i / geluSteps - geluRange
  return x * normalBelow(x)
})

/** Applies GELU to `inner`; values between the steps of the table are interpolated. */
function gelu({ floats, at, count }: Run, width: number): void {
  for (let i = at.inner / 4, end = i + count * width; i < end; i++) {
    const x = floats[i]!
    if (x >= geluRange) continue
    if (x <= -geluRange) floats[i] = 0
    else {
      const place = (x + geluRange) * geluSteps
      const below = place | 0
      const low = geluTable[below]!
      floats[i] = low + (geluTable[below + 1]! - low) * (place - below)
    }
  }
}

/** Share of the normal distribution below x, by Abramowitz and Stegun 7.1.26: within 1.5e-7. */
function normalBelow(x: number): number {
  const z = Math.abs(x) / Math.SQRT2
  const t = 1 / (1 + 0.3275911 * z)
  const polynomial =
    ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t
  const erf = 1 - polynomial * Math.exp(-z * z)
  return x < 0 ? (1 - erf) / 2 : (1 + erf) / 2
}

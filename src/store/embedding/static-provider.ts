import { readFile } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { messageOf } from '../../lib/text/message-of.js'
import { type EmbeddingProvider, ProviderError } from './provider.js'
import { decodeModel, type StaticModel } from './static/model-file.js'
import { createTokenizer } from './static/tokenizer.js'

export interface StaticProviderOptions {
  /** Required version of the file, as vectors of another version do not match the stored ones. */
  model: string
  file: string
}

/** Milliseconds of work before yielding; a long text takes a fifth of one. */
const sliceMs = 10

/** Runs the packaged model in this thread. Its file is read with the first text. */
export function staticProvider({ model, file }: StaticProviderOptions): EmbeddingProvider {
  let loading: Promise<StaticVectors> | undefined
  let loaded: StaticVectors | undefined
  const load = async (): Promise<StaticVectors> => {
    const read = await readFile(file).then(afterTurn).then(decodeModel).catch(unreadable(file))
    if (read.version !== model)
      throw new ProviderError(`${file} contains ${read.version}, not ${model}: install this package again`, {
        atOnce: true,
      })
    loaded = createStaticVectors(read)
    return loaded
  }
  return {
    concurrency: { total: 1, background: 1 },
    batch: { maxTexts: 64, maxChars: 100_000 },
    readiness: () => ({ state: 'ready' }),
    prepare: () => undefined,
    async embed(texts, signal) {
      loading ??= load()
      const vectors = await loading
      return inSlices(texts, signal, vectors.vectorOf)
    },
    embedAtOnce: text => loaded && { vector: loaded.vectorOf(text) },
    close: async () => undefined,
  }
}

/** Continues in a new turn of the event loop. */
async function afterTurn<T>(value: T): Promise<T> {
  await nextTurn()
  return value
}

function unreadable(file: string) {
  return (cause: unknown): never => {
    const why = messageOf(cause)
    throw new ProviderError(`${file} can't be read (${why}): install this package again`, {
      atOnce: true,
      cause,
    })
  }
}

async function inSlices<Made>(
  texts: readonly string[],
  signal: AbortSignal,
  make: (text: string) => Made,
): Promise<Made[]> {
  const made: Made[] = []
  let began = performance.now()
  for (const text of texts) {
    if (performance.now() - began > sliceMs) {
      await nextTurn()
      signal.throwIfAborted()
      began = performance.now()
    }
    made.push(make(text))
  }
  return made
}

interface StaticVectors {
  /**
   * Sums the vectors of a text's units, without scaling to unit length. Undefined if most words are unknown
   * (another language, a hash, base64), because the vector would be noise.
   */
  vectorOf(text: string): Float32Array | undefined
}

export function createStaticVectors({ units, dimensions, scales, values }: StaticModel): StaticVectors {
  const tokenizer = createTokenizer(units)
  return {
    vectorOf(text) {
      const { ids, words, unknown } = tokenizer.tokens(text)
      if (ids.length === 0 || unknown * 2 > words) return undefined
      const sum = new Float32Array(dimensions)
      for (const id of ids) {
        const scale = scales[id]!
        const from = id * dimensions
        for (let at = 0; at < dimensions; at++) sum[at]! += scale * values[from + at]!
      }
      return sum
    },
  }
}

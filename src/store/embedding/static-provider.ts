import { readFile } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type EmbeddingProvider, ProviderError } from './provider.js'
import { decodeModel } from './static/model-file.js'
import { createStaticVectors, type StaticVectors } from './static/static-vectors.js'

export interface StaticProviderOptions {
  /** The version that the file must hold: vectors of another one are of no use beside those that are stored. */
  model: string
  file: string
}

/** Milliseconds of work after which others get their turn: a long text takes a fifth of one. */
const sliceMs = 10

/** The model of this package, in this thread. Its file is read when the first text comes. */
export function staticProvider({ model, file }: StaticProviderOptions): EmbeddingProvider {
  let loading: Promise<StaticVectors> | undefined
  let loaded: StaticVectors | undefined
  const load = async (): Promise<StaticVectors> => {
    const read = await readFile(file).then(inOwnTurn).then(decodeModel).catch(unreadable(file))
    if (read.version !== model)
      throw new ProviderError(`${file} holds ${read.version}, not ${model}: install this package again`, {
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

/** Leaves what follows to a turn of the event loop of its own. */
async function inOwnTurn<T>(value: T): Promise<T> {
  await nextTurn()
  return value
}

function unreadable(file: string) {
  return (cause: unknown): never => {
    const why = cause instanceof Error ? cause.message : String(cause)
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

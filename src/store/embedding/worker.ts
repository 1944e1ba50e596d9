import { availableParallelism } from 'node:os'
import { basename, dirname } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import type { FeatureExtractionPipeline } from '@xenova/transformers'
import { messageOf } from '../../lib/text/message-of.js'
import { runProtectedAsync } from '../../lib/threads/run-protected.js'
import type { RuntimeKind } from './embedder.js'
import { type OpenRuntime, openRuntime } from './onnx-runtime.js'
import { openBert } from './open-bert.js'
import type { WorkerReply, WorkerRequest, WorkerSetup } from './worker-session.js'

const { folder, format, pooling, runtimeDir }: WorkerSetup = workerData

try {
  const { kind, embed } = await openModel()
  parentPort?.on('message', (request: WorkerRequest) => void answer(embed, request))
  send({ type: 'loaded', runtime: kind })
} catch (error) {
  send({ type: 'failed', error: messageOf(error) })
}

interface OpenModel {
  kind: RuntimeKind
  embed(text: string): Promise<Float32Array>
}

/** Opens a BERT of bytes by itself, and any other model by a runtime library. */
async function openModel(): Promise<OpenModel> {
  const bert = format === 'q8' && pooling === 'mean' ? await openBert(folder) : undefined
  if (bert) return { kind: 'wasm', embed: async text => bert(text) }
  const { kind, runtime } = await openRuntime(runtimeDir)
  // The native runtime has its own threads and aborts the process if this thread ends before they are done.
  const steadily = kind === 'native' ? runProtectedAsync : <T>(work: () => Promise<T>) => work()
  const extract = await steadily(() => loadModel(runtime))
  return { kind, embed: text => steadily(() => embedOne(extract, text)) }
}

/** transformers uses the runtime under this symbol at import, instead of loading one itself. */
async function loadModel(runtime: OpenRuntime['runtime']): Promise<FeatureExtractionPipeline> {
  Object.assign(globalThis, { [Symbol.for('onnxruntime')]: runtime })
  const { env, LogLevel, pipeline } = await import('@xenova/transformers')
  env.logLevel = LogLevel.ERROR
  env.allowRemoteModels = false
  env.useFSCache = false
  env.useWasmCache = false
  env.localModelPath = `${dirname(folder)}/`
  return pipeline('feature-extraction', basename(folder), {
    dtype: format,
    // It does not know the devices of an injected runtime.
    device: 'auto',
    session_options: {
      executionProviders: ['cpu'],
      intraOpNumThreads: Math.max(1, Math.min(4, availableParallelism() >> 1)),
    },
  })
}

async function answer(
  embed: (text: string) => Promise<Float32Array>,
  { id, texts }: WorkerRequest,
): Promise<void> {
  try {
    const rows: Float32Array[] = []
    // One by one, because the quantised model scales a whole batch together: vectors would depend on their
    // neighbours.
    for (const text of texts) rows.push(await embed(text))
    const values = new Float32Array(rows.reduce((sum, row) => sum + row.length, 0))
    for (const [index, row] of rows.entries()) values.set(row, index * row.length)
    send({ type: 'vectors', id, values })
  } catch (error) {
    send({ type: 'error', id, error: messageOf(error) })
  }
}

async function embedOne(extract: FeatureExtractionPipeline, text: string): Promise<Float32Array> {
  const tensor = await extract(text, { pooling, normalize: true })
  const values = Float32Array.from(tensor.data as Float32Array)
  tensor.dispose()
  return values
}

function send(reply: WorkerReply): void {
  parentPort?.postMessage(reply, reply.type === 'vectors' ? [reply.values.buffer as ArrayBuffer] : [])
}

import type { InferenceSession, Tensor } from 'onnxruntime-web/wasm'
import { nativeOnnx, type OpenRuntime, wasmOnnx } from '../../src/store/embedding/onnx-runtime.js'
import { percentile } from '../index/measure.js'
import { miniLmFile } from './mini-lm.js'

export interface ModelFigure {
  runtime: string
  /** From the file in memory until the model can be used. */
  loadMs: number
  /** Milliseconds for a text, by its number of tokens. */
  textMs: Record<number, number>
}

/** Tokens of a short line, of a paragraph and of a page. */
const lengths = [16, 64, 256]
const turns = 30

/**
 * Measures a sentence model in the packaged runtime and in the optional native one, each with one thread, as
 * on a machine with two or three cores.
 */
export async function runModelsSuite(): Promise<ModelFigure[]> {
  const file = miniLmFile()
  const opened = [{ name: 'WebAssembly', runtime: await wasmOnnx() }]
  // No data folder: this finds the native runtime among the development dependencies.
  const native = nativeOnnx('')
  if (native) opened.push({ name: 'native', runtime: native })
  const sides = []
  for (const { name, runtime } of opened) {
    const started = performance.now()
    const session = await runtime.InferenceSession.create(file, { intraOpNumThreads: 1 })
    sides.push({
      name,
      runtime,
      session,
      loadMs: performance.now() - started,
      taken: new Map<number, number[]>(),
    })
  }
  for (let turn = 0; turn < turns; turn++)
    for (const tokens of lengths)
      for (const { runtime, session, taken } of sides) {
        const started = performance.now()
        await session.run(textOf(runtime, session, tokens))
        const before = taken.get(tokens) ?? []
        taken.set(tokens, [...before, performance.now() - started])
      }
  return sides.map(({ name, loadMs, taken }) => ({
    runtime: name,
    loadMs,
    textMs: Object.fromEntries([...taken].map(([tokens, times]) => [tokens, percentile(times, 0.5)])),
  }))
}

function textOf(
  { Tensor }: OpenRuntime['runtime'],
  { inputNames }: InferenceSession,
  tokens: number,
): Record<string, Tensor> {
  const of = (value: (at: number) => number): Tensor =>
    new Tensor(
      'int64',
      BigInt64Array.from({ length: tokens }, (_, at) => BigInt(value(at))),
      [1, tokens],
    )
  const given: Record<string, Tensor> = {
    input_ids: of(at => 1000 + at * 97),
    attention_mask: of(() => 1),
    token_type_ids: of(() => 0),
  }
  return Object.fromEntries(inputNames.map(name => [name, given[name] as Tensor]))
}

export function formatModelsSuite(figures: readonly ModelFigure[]): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    row(['runtime', 'load', ...lengths.map(tokens => `${tokens} tokens`)]),
    row(['---', ...[0, ...lengths].map(() => '--:')]),
    ...figures.map(({ runtime, loadMs, textMs }) =>
      row([
        runtime,
        `${loadMs.toFixed(0)} ms`,
        ...lengths.map(tokens => `${(textMs[tokens] as number).toFixed(1)} ms`),
      ]),
    ),
  ].join('\n')
}

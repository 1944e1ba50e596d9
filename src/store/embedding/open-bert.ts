import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Tokenizer } from '@huggingface/tokenizers'
import { createBert } from './bert/bert.js'
import { readBertWeights } from './bert/bert-weights.js'
import { toUnitVector } from './vectors.js'

/** Tokens of a window, with the two that enclose it: some 100 words of prose. */
const windowTokens = 128
/** Tokens beyond are not read: they would cost time and change the mean little. */
const mostTokens = 2048

/** Turns a text into a vector of unit length. */
export type EmbedText = (text: string) => Float32Array

interface BertConfig {
  model_type?: unknown
  num_attention_heads?: unknown
  max_position_embeddings?: unknown
}

/**
 * Opens a BERT sentence model whose weights are signed bytes, such as the packaged one. A long text is read
 * in windows of equal size; its vector is the mean of theirs.
 * @param folder with config.json, tokenizer.json and onnx/model_quantized.onnx
 * @returns undefined for another model, which needs the runtime library
 */
export async function openBert(folder: string): Promise<EmbedText | undefined> {
  const config: BertConfig = await readJson(join(folder, 'config.json'))
  if (config.model_type !== 'bert') return undefined
  const weights = readBertWeights(await readFile(join(folder, 'onnx', 'model_quantized.onnx')))
  const longest = Math.min(windowTokens, Number(config.max_position_embeddings))
  const bert = weights && createBert(weights, Number(config.num_attention_heads), longest)
  if (!bert) return undefined
  const tokenizer = new Tokenizer(
    await readJson(join(folder, 'tokenizer.json')),
    await readJson(join(folder, 'tokenizer_config.json')),
  )
  const [first = 0, last = 0] = tokenizer.encode('').ids
  return text => {
    const tokens = tokenizer.encode(text, { add_special_tokens: false }).ids.slice(0, mostTokens)
    const vectors = windowsOf(tokens, longest - 2).map(window => bert.embed([first, ...window, last]))
    return toUnitVector(sumOf(vectors.map(toUnitVector)))
  }
}

/** Splits tokens into as few windows as possible, of nearly equal size; one empty window for no tokens. */
export function windowsOf(tokens: readonly number[], most: number): number[][] {
  const windows = Math.max(1, Math.ceil(tokens.length / most))
  const size = Math.ceil(tokens.length / windows)
  return Array.from({ length: windows }, (_, at) => tokens.slice(at * size, (at + 1) * size))
}

function sumOf(vectors: readonly Float32Array[]): Float32Array {
  const [sum = new Float32Array(0), ...others] = vectors
  for (const vector of others) for (let i = 0; i < sum.length; i++) sum[i]! += vector[i]!
  return sum
}

async function readJson<Value extends object>(file: string): Promise<Value> {
  return JSON.parse(await readFile(file, 'utf8')) as Value
}

import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { elementType, floats, input, node, onnxFile, output, tensor } from './onnx.js'

const dimensions = 128
const letters = [...'abcdefghijklmnopqrstuvwxyz']
const digits = [...'0123456789']
const punctuation = [...'!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~']
const specialTokens = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']

// Function words get short vectors, so that content words dominate the mean.
const quietWords =
  'a an and are as at be by can did do does for from had has have he her his how i in is it its my not of on or our she so than that the their them then there they this to us was we were what when where which who why will with you your'

// Words of one group get nearly the same vector, so a test can query with synonyms.
const synonyms = [
  'car automobile vehicle',
  'bug defect fault',
  'deploy release ship',
  'likes prefers enjoys favourite',
  'doctor physician',
  'quick fast rapid',
  'begin start launch',
  'delete remove erase',
  'meeting appointment',
  'child kid',
  'database datastore',
  'error failure crash',
  'buy purchase',
  'home house',
  'work job',
]

/**
 * The files of a small BERT-shaped sentence model, byte-identical on every machine. Token vectors come from a
 * hash of the token: texts that share words are near each other, and others are not.
 * @returns file contents by path inside the model folder
 */
export function tinyModelFiles(): Map<string, Uint8Array> {
  const vocabulary = makeVocabulary()
  const json = (value: unknown) => Buffer.from(`${JSON.stringify(value, null, 1)}\n`)
  return new Map<string, Uint8Array>([
    ['config.json', json(config(vocabulary.length))],
    ['tokenizer.json', json(tokenizer(vocabulary))],
    ['tokenizer_config.json', json(tokenizerConfig)],
    ['onnx/model_quantized.onnx', onnxModel(vocabulary)],
  ])
}

function makeVocabulary(): string[] {
  const pairs = letters.flatMap(first => letters.map(second => first + second))
  const pieces = [...letters, ...digits, ...pairs]
  const words = [...quietWords.split(' '), ...synonyms.flatMap(group => group.split(' '))]
  return [
    ...new Set([...specialTokens, ...punctuation, ...pieces, ...pieces.map(piece => `##${piece}`), ...words]),
  ]
}

function config(vocabularySize: number) {
  return {
    architectures: ['BertModel'],
    model_type: 'bert',
    hidden_size: dimensions,
    max_position_embeddings: 512,
    num_attention_heads: 1,
    num_hidden_layers: 1,
    vocab_size: vocabularySize,
  }
}

const tokenizerConfig = {
  tokenizer_class: 'BertTokenizer',
  do_lower_case: true,
  model_max_length: 512,
  cls_token: '[CLS]',
  mask_token: '[MASK]',
  pad_token: '[PAD]',
  sep_token: '[SEP]',
  unk_token: '[UNK]',
}

function tokenizer(vocabulary: string[]) {
  const ids = Object.fromEntries(vocabulary.map((token, id) => [token, id]))
  const special = (token: string) => ({ id: token, ids: [ids[token]], tokens: [token] })
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: specialTokens.map(content => ({
      id: ids[content],
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: ['[CLS]', 'A', '[SEP]'].map(templatePart),
      pair: ['[CLS]', 'A', '[SEP]', 'B', '[SEP]'].map(templatePart),
      special_tokens: { '[CLS]': special('[CLS]'), '[SEP]': special('[SEP]') },
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: ids,
    },
  }
}

function templatePart(id: string) {
  if (id.length > 1) return { SpecialToken: { id, type_id: 0 } }
  return { Sequence: { id, type_id: id === 'A' ? 0 : 1 } }
}

/** Looks every token up in an int8 table: `last_hidden_state = dequantize(gather(table, input_ids))`. */
function onnxModel(vocabulary: string[]): Uint8Array {
  const table = Buffer.concat(vocabulary.map(token => Buffer.from(tokenVector(token).buffer)))
  return onnxFile({
    name: 'tiny-model',
    producer: 'make-tiny-model',
    nodes: [
      node('Gather', ['table', 'input_ids'], ['rows']),
      node('DequantizeLinear', ['rows', 'scale'], ['last_hidden_state']),
    ],
    values: [
      tensor('table', elementType.int8, [vocabulary.length, dimensions], table),
      floats('scale', [], [1 / 100]),
      ...['input_ids', 'attention_mask', 'token_type_ids'].map(name =>
        input(name, elementType.int64, ['batch', 'sequence']),
      ),
      output('last_hidden_state', elementType.float, ['batch', 'sequence', dimensions]),
    ],
  })
}

function tokenVector(token: string): Int8Array {
  const group = synonyms.find(words => words.split(' ').includes(token))
  if (!group) return Int8Array.from(randomUnits(token), unit => unit * loudness(token))
  const own = randomUnits(token)
  return Int8Array.from(randomUnits(group), (unit, index) => unit * 105 + own[index]! * 20)
}

function loudness(token: string): number {
  if (specialTokens.includes(token) || punctuation.includes(token)) return 5
  return quietWords.split(' ').includes(token) ? 6 : 45
}

/** `dimensions` numbers in -1..1 that depend only on the seed (FNV-1a, then mulberry32). */
function randomUnits(seed: string): number[] {
  let state = 2_166_136_261
  for (const byte of Buffer.from(seed)) state = Math.imul(state ^ byte, 16_777_619)
  return Array.from({ length: dimensions }, () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 31 - 1
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = fileURLToPath(new URL('../test/fixtures/tiny-model/', import.meta.url))
  for (const [path, content] of tinyModelFiles()) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
}

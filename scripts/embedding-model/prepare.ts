import { closeSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Units } from '../../src/store/embedding/static/model-file.js'
import {
  createTokenizer,
  numberUnit,
  partsOf,
  pieceMark,
  type Tokenizer,
  wordsOf,
} from '../../src/store/embedding/static/tokenizer.js'

const help = `usage: node --import=tsx scripts/embedding-model/prepare.ts --text DIR --out DIR [--units 50000]

Chooses the vocabulary from the output of extract.ts, and writes the texts and pairs as unit numbers for train/. It uses the
product's tokenizer.`

// Numbers above every unit, which the trainer must not take for words.
const marks = { sentence: 65_533, paragraph: 65_534, document: 65_535 }
const pieces = 3_000
const fewestTimes = 8
const longestWord = 24
const queryUnits = 64
const passageUnits = 220

const questions =
  'how do i|how to|how can i|what is|what is the|is there a way to|can i|where is the|where can i find|why does|tell me about|when did|who is|what did i say about|do you remember|which|what are the|can you help me with|i want to know|what kind of|how many|what does|please explain'

interface Count {
  /**
   * Sum over sources of the square root of the word's count, so that names of one API do not fill the
   * vocabulary.
   */
  weight: number
  times: number
}

function countWords(folder: string, files: readonly string[]): Map<string, Count> {
  const all = new Map<string, Count>()
  for (const file of files) {
    const here = new Map<string, number>()
    const add = (word: string) => here.set(word, (here.get(word) ?? 0) + 1)
    for (const line of linesOf(join(folder, file)))
      for (const word of wordsOf(line)) {
        if (word.length > 40) continue
        add(word.toLowerCase())
        if (/[a-z0-9][A-Z]|[A-Z]{2}[a-z]/.test(word))
          for (const part of partsOf(word)) add(part.toLowerCase())
      }
    for (const [word, times] of here) {
      const count = all.get(word)
      if (count) {
        count.weight += Math.sqrt(times)
        count.times += times
      } else all.set(word, { weight: Math.sqrt(times), times })
    }
  }
  return all
}

function isWord(word: string, { times }: Count): boolean {
  const foreign = word.replace(/[a-z0-9]/g, '').length
  return times >= fewestTimes && word.length <= longestWord && foreign <= 2 && !/^\d{5,}$/.test(word)
}

/** Units with their counts: words that matter in many sources, and pieces that spell the rest. */
function chooseUnits(counts: ReadonlyMap<string, Count>, size: number): [string, number][] {
  const words = [...counts].filter(([word, count]) => isWord(word, count))
  words.sort(([a, one], [b, other]) => other.weight - one.weight || (a < b ? -1 : 1))
  const kept = words.slice(0, size - pieces - 1)
  const spelling = choosePieces(words.slice(kept.length))
  return [
    [numberUnit, 1000],
    ...kept.map(([word, { times }]): [string, number] => [word, times]),
    ...spelling,
  ]
}

function choosePieces(rest: readonly [string, Count][]): [string, number][] {
  const gains = new Map<string, number>()
  for (const [word, { times }] of rest)
    for (let at = 0; at < word.length; at++)
      for (let length = 2; length <= 5 && at + length <= word.length; length++) {
        const piece = word.slice(at, at + length)
        if (/^[a-z0-9]+$/.test(piece)) gains.set(piece, (gains.get(piece) ?? 0) + times * (length - 1))
      }
  const single = [...'abcdefghijklmnopqrstuvwxyz0123456789'].map((letter): [string, number] => [letter, 100])
  const longer = [...gains].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
  const chosen = [...single, ...longer.slice(0, pieces - single.length)]
  return chosen.map(([piece, gain]) => [pieceMark + piece, Math.round(gain / piece.length)])
}

function* linesOf(path: string): Generator<string> {
  const content = readFileSync(path)
  let at = 0
  while (at < content.length) {
    const end = content.indexOf(10, at)
    yield content.toString('utf8', at, end < 0 ? content.length : end)
    at = end < 0 ? content.length : end + 1
  }
}

function numberFile(path: string) {
  const file = openSync(path, 'w')
  const buffer = new Uint16Array(1 << 20)
  let used = 0
  let total = 0
  const flush = () => {
    writeSync(file, new Uint8Array(buffer.buffer, 0, used * 2))
    used = 0
  }
  return {
    total: () => total,
    write(numbers: readonly number[]) {
      if (used + numbers.length > buffer.length) flush()
      buffer.set(numbers, used)
      used += numbers.length
      total += numbers.length
    },
    close() {
      flush()
      closeSync(file)
    },
  }
}

function writeTexts(tokenizer: Tokenizer, from: string, out: string, files: readonly string[]): void {
  const numbers = numberFile(join(out, 'texts.bin'))
  let index = ''
  for (const file of files) {
    const start = numbers.total()
    for (const line of linesOf(join(from, file))) {
      if (!line) numbers.write([marks.document])
      for (const sentence of line ? line.split(/(?<=[.?!]) /) : [])
        numbers.write([...tokenizer.tokens(sentence).ids, marks.sentence])
      if (line) numbers.write([marks.paragraph])
    }
    index += `${file.slice(0, -4)} ${start} ${numbers.total() - start}\n`
  }
  numbers.close()
  writeFileSync(join(out, 'texts.idx'), index)
  console.log(`${numbers.total()} units of text`)
}

function writePairs(tokenizer: Tokenizer, from: string, out: string, files: readonly string[]): void {
  const numbers = numberFile(join(out, 'pairs.bin'))
  let index = ''
  let pairs = 0
  for (const file of files) {
    const start = numbers.total()
    for (const line of linesOf(join(from, file))) {
      const [kind, query = '', passage = ''] = line.split('\t')
      const asked = tokenizer.tokens(query).ids.slice(0, queryUnits)
      const told = tokenizer.tokens(passage).ids.slice(0, passageUnits)
      if (asked.length === 0 || told.length === 0) continue
      numbers.write([kind === 'title' ? 1 : 0, asked.length, told.length, ...asked, ...told])
      pairs += 1
    }
    index += `${file.slice(0, -4)} ${start} ${numbers.total() - start}\n`
  }
  numbers.close()
  writeFileSync(join(out, 'pairs.idx'), index)
  console.log(`${pairs} pairs, ${numbers.total()} units`)
}

/** Writes lines of numbers: a word and its synonyms; the words of a question. */
function writeHelpers(tokenizer: Tokenizer, from: string, out: string): void {
  const numbersOf = (text: string) => tokenizer.tokens(text).ids
  let synonyms = ''
  for (const line of linesOf(join(from, 'synonyms.tsv'))) {
    const [word = '', others = ''] = line.split('\t')
    const single = others
      .split(' ')
      .map(numbersOf)
      .filter(ids => ids.length === 1)
    const ids = numbersOf(word)
    if (ids.length === 1 && single.length > 0) synonyms += `${[...ids, ...single.flat()].join(' ')}\n`
  }
  writeFileSync(join(out, 'synonyms.txt'), synonyms)
  const lines = questions.split('|').map(question => numbersOf(question).join(' '))
  writeFileSync(join(out, 'questions.txt'), `${lines.join('\n')}\n`)
}

const { values } = parseArgs({
  options: { text: { type: 'string' }, out: { type: 'string' }, units: { type: 'string', default: '50000' } },
})
if (!values.text || !values.out) {
  console.error(help)
  process.exit(2)
}
const names = readdirSync(values.text).sort()
const texts = names.filter(name => name.endsWith('.txt'))
const pairFiles = names.filter(name => name.endsWith('.tsv') && name !== 'synonyms.tsv')
const units = chooseUnits(countWords(values.text, [...texts, ...pairFiles]), Number(values.units))
writeFileSync(
  join(values.out, 'vocabulary.tsv'),
  units.map(([unit, times]) => `${unit}\t${times}\n`).join(''),
)
console.log(`${units.length} units`)
const tokenizer = createTokenizer(new Units(units.map(([unit]) => `${unit}\n`).join('')))
writeHelpers(tokenizer, values.text, values.out)
writeTexts(tokenizer, values.text, values.out, texts)
writePairs(tokenizer, values.text, values.out, pairFiles)

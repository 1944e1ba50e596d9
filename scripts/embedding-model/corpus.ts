import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Forbidden } from './overlap.js'
import type { Section } from './read/sections.js'

/** Origin of a pair; some queries of kind `title` get a question phrase in front. */
export type PairKind = 'title' | 'question'

export interface CorpusCounts {
  bytes: number
  pairs: number
  /** Texts refused because they are part of a set that the model is evaluated with. */
  refused: number
}

/** Output of one source: paragraphs to learn words from, and pairs of a question and its answer. */
export interface Corpus {
  text(text: string): void
  /** Ends a document, so that words before and after it are not neighbours. */
  end(): void
  pair(kind: PairKind, query: string, passage: string): void
  sections(sections: readonly Section[]): void
  finish(): CorpusCounts
}

const queryWords = 60
const passageWords = 200

export function openCorpus(folder: string, name: string, forbidden: Forbidden): Corpus {
  const texts = bufferedFile(join(folder, `${name}.txt`))
  const pairs = bufferedFile(join(folder, `${name}.tsv`))
  const seen = new Set<string>()
  const counts: CorpusCounts = { bytes: 0, pairs: 0, refused: 0 }
  const allowed = (text: string) => {
    if (!forbidden.has(text)) return true
    counts.refused += 1
    return false
  }
  const corpus: Corpus = {
    text(raw) {
      const text = oneLine(raw)
      if (text.length <= 20 || !allowed(text)) return
      texts.write(`${text}\n`)
      counts.bytes += text.length
    },
    end: () => texts.write('\n'),
    pair(kind, rawQuery, rawPassage) {
      const query = firstWords(oneLine(rawQuery), queryWords)
      const passage = firstWords(oneLine(rawPassage), passageWords)
      if (query.length < 3 || passage.length < 3 || query === passage) return
      const key = `${query}\t${passage}`
      if (seen.has(key) || !allowed(query) || !allowed(passage)) return
      seen.add(key)
      pairs.write(`${kind}\t${key}\n`)
      counts.pairs += 1
    },
    sections(sections) {
      for (const section of sections) addSection(corpus, section)
      if (sections.length > 0) corpus.end()
    },
    finish() {
      texts.close()
      pairs.close()
      return counts
    },
  }
  return corpus
}

function addSection(corpus: Corpus, section: Section): void {
  const paragraphs = section.paragraphs.map(oneLine).filter(paragraph => paragraph.length > 15)
  const titles = section.titles.map(oneLine).filter(Boolean)
  const last = titles.at(-1)
  if (last) corpus.text(last)
  for (const paragraph of paragraphs) corpus.text(paragraph)
  const body = paragraphs.join(' ')
  if (!last || body.split(' ').length < 12) return
  corpus.pair('title', titles.slice(-3).join(' '), body)
  if (titles.length > 1 && last.split(' ').length >= 3) corpus.pair('title', last, body)
}

const typography: Record<string, string> = { '’': "'", '‘': "'", '“': '"', '”': '"', '—': ' - ', '–': '-' }

export function oneLine(text: string): string {
  return text
    .replace(/[’‘“”—–]/g, mark => typography[mark]!)
    .replace(/\s+/g, ' ')
    .trim()
}

function firstWords(text: string, count: number): string {
  return text.split(' ', count).join(' ')
}

function bufferedFile(path: string) {
  const file = openSync(path, 'w')
  let waiting: string[] = []
  let length = 0
  const flush = () => {
    writeSync(file, waiting.join(''))
    waiting = []
    length = 0
  }
  return {
    write(text: string) {
      waiting.push(text)
      length += text.length
      if (length > 4_000_000) flush()
    },
    close() {
      flush()
      closeSync(file)
    },
  }
}

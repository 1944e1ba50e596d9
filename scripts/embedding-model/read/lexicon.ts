import { writeFileSync } from 'node:fs'
import type { Corpus } from '../corpus.js'
import { filesOf } from './git.js'
import { plainMarkdown } from './sections.js'

interface Synset {
  definition: string[]
  members: string[]
  example: string[]
  hypernym: string[]
  similar: string[]
}

/** Adds Open English WordNet: glosses, examples, synonyms and hypernyms. */
export function addWordNet(corpus: Corpus, folder: string, synonymsFile: string): void {
  const synsets = new Map<string, Synset>()
  const senses = new Map<string, string[]>()
  for (const { path, text } of filesOf(folder, path => /^src\/yaml\/.*\.yaml$/.test(path)))
    if (path.includes('/entries-')) readEntries(text, senses)
    else readSynsets(text, synsets)
  for (const synset of synsets.values()) {
    const words = synset.members.join(' ')
    const definition = synset.definition.join(' ')
    corpus.text(`${synset.members.join(', ')}: ${definition}`)
    corpus.pair('title', words, definition)
    for (const example of synset.example) {
      corpus.text(example)
      corpus.pair('title', example, `${definition} ${words}`)
    }
    if (synset.members.length > 1)
      for (const word of synset.members)
        corpus.pair('question', word, synset.members.filter(other => other !== word).join(' '))
    for (const wider of [...synset.hypernym, ...synset.similar].slice(0, 2).map(id => synsets.get(id)))
      if (wider) corpus.pair('question', words, `${wider.members.join(' ')} ${wider.definition.join(' ')}`)
  }
  corpus.end()
  writeFileSync(synonymsFile, synonymLines(synsets, senses))
}

function readEntries(text: string, senses: Map<string, string[]>): void {
  let word = ''
  for (const line of text.split('\n')) {
    const entry = /^(\S.*?):$/.exec(line)
    if (entry) word = entry[1]!.replace(/^['"]|['"]$/g, '')
    const synset = /^\s+synset: (\S+)/.exec(line)?.[1]
    if (synset && word) senses.set(word, [...(senses.get(word) ?? []), synset])
  }
}

function readSynsets(text: string, synsets: Map<string, Synset>): void {
  let current: Synset | undefined
  let key = ''
  for (const line of text.split('\n')) {
    const id = /^(\d{8}-\w):$/.exec(line)?.[1]
    const field = /^ {2}(\w+):/.exec(line)?.[1]
    const item = /^ {2}- (?:source: .*)?(.*)$/.exec(line)?.[1]
    if (id) {
      current = { definition: [], members: [], example: [], hypernym: [], similar: [] }
      synsets.set(id, current)
    } else if (field) key = field
    else if (current && key in current) {
      const list = current[key as keyof Synset]
      if (item !== undefined) list.push(item.replace(/^['"]|['"]$/g, ''))
      else if (line.startsWith('    ') && list.length > 0) list[list.length - 1] += ` ${line.trim()}`
    }
  }
}

/** Single words with the synonyms of their first two senses, for swapping words of a query. */
function synonymLines(synsets: ReadonlyMap<string, Synset>, senses: ReadonlyMap<string, string[]>): string {
  const single = (word: string) => /^[a-z]{3,}$/.test(word)
  let lines = ''
  for (const [word, ids] of senses) {
    if (!single(word)) continue
    const near = ids.slice(0, 2).flatMap(id => synsets.get(id)?.members ?? [])
    const others = [...new Set(near.filter(other => other !== word && single(other)))]
    if (others.length > 0) lines += `${word}\t${others.join(' ')}\n`
  }
  return lines
}

/** Adds pages of tldr: the purpose of a command, and the effect of each example call. */
export function addCommandPage(corpus: Corpus, page: string): void {
  const name = /^# (.*)$/m.exec(page)?.[1]
  if (!name) return
  const about = plainMarkdown(
    [...page.matchAll(/^> (?!More info|See also)(.*)$/gm)].map(([, line]) => line).join(' '),
  )
  const calls = [...page.matchAll(/^- (.*):\s*\n\s*\n`(.*)`/gm)]
  corpus.text(`${name} ${about}`)
  corpus.pair('title', about, `${name} ${calls.map(([, what]) => what).join(' ')}`)
  for (const [, what, call] of calls) {
    corpus.pair('title', plainMarkdown(what!), `${name} ${about} ${call!.replace(/[{}]/g, ' ')}`)
    corpus.text(`${plainMarkdown(what!)} ${call}`)
  }
  corpus.end()
}

const documentParagraphs = 40

export function addNovel(corpus: Corpus, markup: string): void {
  let paragraphs = 0
  for (const [, paragraph] of markup.matchAll(/<p\b[^>]*>([\s\S]*?)<\/p>/g)) {
    corpus.text(paragraph!.replace(/<[^>]*>/g, ' ').replaceAll('&amp;', '&'))
    paragraphs += 1
    if (paragraphs % documentParagraphs === 0) corpus.end()
  }
  corpus.end()
}

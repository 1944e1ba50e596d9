import type { Corpus } from '../corpus.js'
import { oneLine } from '../corpus.js'
import type { TextFile } from './git.js'

/** Adds turns in order: each one is answered by the next, and sometimes by the three that follow. */
export function addTurns(corpus: Corpus, rawTurns: readonly string[], fewestWords = 5): void {
  const turns = rawTurns.map(oneLine).filter(Boolean)
  const says = (turn: string) => turn.split(' ').length >= fewestWords
  for (const [at, turn] of turns.entries()) {
    corpus.text(turn)
    const next = turns[at + 1]
    if (!next || !says(turn)) continue
    if (says(next)) corpus.pair('question', turn, next)
    if (at % 3 === 0 && at + 3 < turns.length)
      corpus.pair('question', turn, turns.slice(at + 1, at + 4).join(' '))
  }
  corpus.end()
}

/** Adds sentences of equal meaning: each is a query for two others and for the name of the intent. */
export function addIntents(corpus: Corpus, byIntent: ReadonlyMap<string, readonly string[]>): void {
  for (const [intent, all] of byIntent) {
    const sentences = [...new Set(all)].filter(sentence => sentence.split(' ').length >= 3)
    for (const [at, sentence] of sentences.entries()) {
      corpus.text(sentence)
      corpus.pair('question', sentence, intent.replace(/[_:]/g, ' '))
      for (const step of [1, 7, 31])
        corpus.pair('question', sentence, sentences[(at + step) % sentences.length]!)
    }
  }
  corpus.end()
}

function groups(): { add(intent: string, sentence: string): void; all: Map<string, string[]> } {
  const all = new Map<string, string[]>()
  return {
    all,
    add(intent, sentence) {
      const group = all.get(intent)
      if (group) group.push(sentence)
      else all.set(intent, [sentence])
    },
  }
}

/** Splits comma- or tab-separated values into rows; quotes are removed. */
export function cells(text: string, separator: ',' | '\t'): string[][] {
  const rows: string[][] = []
  const cell = separator === ',' ? /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/g : /([^\t\r\n]*)(\t|\r?\n|$)/g
  let row: string[] = []
  for (const [whole, value = '', end] of text.matchAll(cell)) {
    if (!whole) break
    row.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value)
    if (end === separator) continue
    rows.push(row)
    row = []
  }
  return rows
}

export function addTaskmaster(corpus: Corpus, { text }: TextFile): void {
  for (const dialogue of JSON.parse(text)) {
    if (dialogue.utterances)
      addTurns(
        corpus,
        dialogue.utterances.map((turn: { text: string }) => turn.text),
      )
    else if (typeof dialogue.context === 'string' && dialogue.context.startsWith('['))
      addTurns(
        corpus,
        JSON.parse(dialogue.context).map((turn: { text?: string }) => turn.text ?? ''),
      )
  }
}

export function addPersonaChats(corpus: Corpus, { text }: TextFile): void {
  for (const row of cells(text, ',').slice(1))
    for (const column of row.filter(value => /^User ?1:|^User 2:/m.test(value))) {
      const turns = column.split('\n').map(line => line.replace(/^User ?\d:\s*/, ''))
      addTurns(corpus, turns, 4)
      // A person's trait is a query for a turn in which they mention it.
      const [one, two] = row
      for (const [at, turn] of turns.entries())
        for (const trait of ((at % 2 ? two : one) ?? '').split('\n'))
          if (trait && sharesWord(trait, turn)) corpus.pair('question', trait, turn)
    }
}

function sharesWord(one: string, other: string): boolean {
  const words = new Set(other.toLowerCase().match(/[a-z]{5,}/g))
  return (one.toLowerCase().match(/[a-z]{5,}/g) ?? []).some(word => words.has(word))
}

export function addMeetings(corpus: Corpus, { text }: TextFile): void {
  for (const line of text.split('\n').filter(Boolean)) addMeeting(corpus, JSON.parse(line))
}

interface Meeting {
  meeting_transcripts: { content: string }[]
  specific_query_list: { query: string; answer: string; relevant_text_span: [string, string][] }[]
}

function addMeeting(corpus: Corpus, meeting: Meeting): void {
  const turns: string[] = meeting.meeting_transcripts.map(turn =>
    oneLine(turn.content.replace(/\{\w+\}/g, ' ')),
  )
  addTurns(corpus, turns, 9)
  for (const { query, answer, relevant_text_span: spans } of meeting.specific_query_list)
    for (const [from, to] of spans.slice(0, 4)) {
      const told = turns.slice(Number(from), Number(to) + 1)
      corpus.pair('question', query, told.join(' '))
      corpus.pair('question', answer, told.join(' '))
      for (const turn of told) if (turn.split(' ').length > 20) corpus.pair('question', query, turn)
    }
}

export function addGoalDialogues(corpus: Corpus, { text }: TextFile): void {
  const intents = groups()
  const talks = groups()
  for (const row of cells(text, '\t').slice(1)) {
    if (row.length < 6) continue
    talks.add(row[0]!, row[3]!)
    if (!/content|greeting|thank|confirm|reject|outofdomain/.test(row[5]!)) intents.add(row[5]!, row[3]!)
  }
  for (const talk of talks.all.values()) addTurns(corpus, talk)
  addIntents(corpus, intents.all)
}

export function addFaq(corpus: Corpus, { text }: TextFile): void {
  for (const domain of Object.values<object>(JSON.parse(text)))
    for (const entity of Object.values<{ docs: object }>(domain as Record<string, { docs: object }>))
      for (const { title, body } of Object.values<{ title: string; body: string }>(entity.docs as never)) {
        corpus.pair('question', title, body)
        corpus.text(`${title} ${body}`)
      }
}

export function addBanking(corpus: Corpus, { text }: TextFile): void {
  const intents = groups()
  for (const row of cells(text, ',').slice(1)) if (row.length === 2) intents.add(row[1]!, row[0]!)
  addIntents(corpus, intents.all)
}

export function addClinc(corpus: Corpus, { text }: TextFile): void {
  const intents = groups()
  for (const part of Object.values<[string, string][]>(JSON.parse(text)))
    for (const [sentence, intent] of part) if (intent !== 'oos') intents.add(intent, sentence)
  addIntents(corpus, intents.all)
}

export function addMedicalQuestions(corpus: Corpus, { text }: TextFile): void {
  for (const [, question, answer] of text.matchAll(
    /<Question\b[^>]*>([\s\S]*?)<\/Question>\s*<Answer>([\s\S]*?)<\/Answer>/g,
  )) {
    if (answer!.split(/\s+/).length <= 8) continue
    corpus.pair('question', question!, answer!)
    corpus.text(answer!)
  }
  corpus.end()
}

export function addIrc(corpus: Corpus, { text }: TextFile): void {
  const lines = text.split('\n').filter(line => !line.startsWith('==='))
  const said = lines.map(line =>
    line.replace(/^\[\d\d:\d\d\]\s*(<[^>]*>|\*)?\s*/, '').replace(/^\S+[:,] /, ''),
  )
  for (const line of said) corpus.text(line)
  corpus.end()
}

export function addPapers(corpus: Corpus, { text }: TextFile): void {
  for (const line of text.split('\n').filter(Boolean)) {
    const paper = JSON.parse(line) as { title?: string; source: string[]; target: string[] }
    const abstract = paper.source.join(' ')
    if (paper.title) corpus.pair('title', paper.title, abstract)
    for (const summary of paper.target) corpus.pair('question', summary, abstract)
    corpus.text(abstract)
    corpus.end()
  }
}

export function addChat(corpus: Corpus, { text }: TextFile): void {
  let turns: string[] = []
  for (const line of text.split('\n')) {
    const [, dash, said] = /^(- -|\s+-|-)\s+(.*)$/.exec(line) ?? []
    if (!said) continue
    if (dash === '- -') {
      addTurns(corpus, turns, 3)
      turns = []
    }
    turns.push(said.replace(/^["']|["']$/g, ''))
  }
  addTurns(corpus, turns, 3)
}

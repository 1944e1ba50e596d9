import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { packageFile } from '../../src/lib/files/package-root.js'
import { meanScores, type QuestionScores, scoreQuestion } from '../quality/metrics.js'
import { packagedVectors } from '../quality/packaged-vectors.js'
import { RankedIndex, type RowVectors } from '../quality/recall-system.js'
import { markdownTable } from '../quality/table.js'
import { type AskedInTime, type Conversations, readConversations } from './read-conversations.js'

/** Scores of one question, by turns and by whole sessions. */
export interface AskedFigure {
  id: string
  category: string
  turns: QuestionScores
  sessions: QuestionScores
}

export interface ConversationOptions {
  /** Files in the format of LongMemEval or LoCoMo. */
  data: readonly string[]
  /** Model of the vectors; words alone when absent. */
  vectors?: 'words' | 'sentences' | undefined
  /** Folder of the finished questions. */
  results?: string
}

const progressMs = 10_000

/**
 * Recalls the turns of conversations that answer a question. Each finished question is kept in `results`, so
 * that a stopped run goes on where it was.
 * @throws Error without data, or for data of another format
 * @param say receives the progress
 */
export async function runConversationSuite(
  { data, vectors, results = packageFile('bench', 'results') }: ConversationOptions,
  say: (line: string) => void,
): Promise<{ file: string; figures: AskedFigure[] }[]> {
  if (data.length === 0) throw new Error('Pass --data FILE, a file in the format of LongMemEval or LoCoMo.')
  const made = vectors && (await packagedVectors(vectors))
  const measured = []
  for (const path of data) {
    const kept = `${results}/${basename(path, '.json')}-${vectors ?? 'no'}-vectors.jsonl`
    measured.push({ file: basename(path), figures: await measureFile(path, { kept, made, say }) })
  }
  return measured
}

async function measureFile(
  path: string,
  { kept, made, say }: { kept: string; made: RowVectors | undefined; say: (line: string) => void },
): Promise<AskedFigure[]> {
  mkdirSync(dirname(kept), { recursive: true })
  const known = new Map(readKept(kept).map(figure => [figure.id, figure]))
  if (known.size > 0) say(`${known.size} questions are finished in ${kept}; delete it to measure them again.`)
  const figures: AskedFigure[] = []
  const progress = { at: Date.now() }
  for await (const conversations of readConversations(path)) {
    const open = conversations.questions.filter(({ id }) => !known.has(id))
    const asked = open.length > 0 ? await askOf(conversations, open, made) : []
    for (const figure of asked) appendFileSync(kept, `${JSON.stringify(figure)}\n`)
    const fresh = new Map(asked.map(figure => [figure.id, figure]))
    figures.push(...conversations.questions.map(({ id }) => known.get(id) ?? fresh.get(id)!))
    if (Date.now() - progress.at < progressMs) continue
    progress.at = Date.now()
    say(`${figures.length} questions`)
  }
  return figures
}

/** Reads the finished questions, and removes a line that a kill cut off. */
function readKept(file: string): AskedFigure[] {
  if (!existsSync(file)) return []
  const text = readFileSync(file, 'utf8')
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  if (whole !== text) writeFileSync(file, whole)
  return whole
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as AskedFigure)
}

async function askOf(
  { turns }: Conversations,
  questions: readonly AskedInTime[],
  made: RowVectors | undefined,
): Promise<AskedFigure[]> {
  const now = { at: Date.now() }
  const index = new RankedIndex(() => now.at, made)
  for (const turn of turns) index.add(turn)
  const sessionOf = new Map(turns.map(({ id, session }) => [id, session ?? id]))
  const figures: AskedFigure[] = []
  for (const question of questions) {
    now.at = question.askedAt ?? Date.now()
    const { ranked } = index.rank(question.query, await index.search(question))
    const ids = ranked.map(({ id }) => id)
    const inSessions = (list: readonly string[]) => [...new Set(list.map(id => sessionOf.get(id) ?? id))]
    figures.push({
      id: question.id,
      category: question.category,
      turns: scoreQuestion(ids, question.evidence),
      sessions: scoreQuestion(inSessions(ids), inSessions(question.evidence)),
    })
  }
  return figures
}

/** Formats the means by kind of question, in percent. */
export function formatConversationSuite(
  measured: readonly { file: string; figures: AskedFigure[] }[],
): string {
  return measured.flatMap(({ file, figures }) => ['', file, '', ...tableOf(figures)]).join('\n')
}

function tableOf(figures: readonly AskedFigure[]): string[] {
  const kinds = [...new Set(figures.map(({ category }) => category))].sort()
  const rows = [...kinds.map(kind => ({ kind, of: figures.filter(one => one.category === kind) }))]
  const head = ['questions', 'count', 'turns R@5', 'R@10', 'MRR', 'sessions R@5', 'R@10', 'MRR']
  return markdownTable(
    head,
    [...rows, { kind: 'all', of: figures }].map(({ kind, of }) => {
      const cells = (['turns', 'sessions'] as const).flatMap(unit => {
        const mean = meanScores(of.map(one => one[unit]))
        return [mean['R@5'], mean['R@10'], mean.MRR].map(value => value.toFixed(1))
      })
      return [kind, String(of.length), ...cells]
    }),
  )
}

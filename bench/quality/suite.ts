import { SqliteFts, StockOrama } from './baselines.js'
import { type DeveloperQuality, developerReport, measureDeveloperMemories } from './developer.js'
import { type Dialogue, readDialogues } from './dialogues.js'
import { meanScores, median, metricNames, type QuestionScores, scoreQuestion } from './metrics.js'
import { RankedIndex, type RecallSystem } from './recall-system.js'

const limit = 20

/** Means in percent of one system over the questions of all dialogues. */
export interface SystemQuality {
  system: string
  overall: QuestionScores
  byCategory: Record<string, QuestionScores>
  byDialogue: Record<string, QuestionScores>
  /** Median milliseconds of a query. */
  queryMs: number
}

export interface QualityResult {
  developer: DeveloperQuality
  /** Undefined without a data file. */
  dialogues: { turns: number; questions: number; systems: SystemQuality[] } | undefined
}

/**
 * Measures the quality of recall without vectors, next to stock Orama and SQLite FTS5 in the same run.
 *
 * @param dataPath dialogues in the LoCoMo format; they are not part of this project. Without it only the developer
 *   memories are measured.
 * @param print takes each line of the report
 */
export async function measureQuality(
  dataPath: string | undefined,
  print: (line: string) => void,
): Promise<QualityResult> {
  const developer = await measureDeveloperMemories()
  for (const line of developerReport(developer)) print(line)
  if (!dataPath) {
    print('No dialogues: pass --data PATH or set QUALITY_DATA.')
    return { developer, dialogues: undefined }
  }
  const dialogues = await readDialogues(dataPath)
  const systems: SystemQuality[] = []
  for (const system of [new RankedIndex(), new StockOrama(), new SqliteFts()]) {
    systems.push(await measureSystem(system, dialogues))
    system.close()
  }
  printDialogues(systems, print)
  const count = (of: (dialogue: Dialogue) => number) =>
    dialogues.reduce((sum, dialogue) => sum + of(dialogue), 0)
  return {
    developer,
    dialogues: { turns: count(d => d.turns.length), questions: count(d => d.questions.length), systems },
  }
}

async function measureSystem(system: RecallSystem, dialogues: readonly Dialogue[]): Promise<SystemQuality> {
  const sessions = new Map<string, string>()
  for (const { project, turns } of dialogues) {
    for (const { id, speaker, ...turn } of turns) {
      system.add({ ...turn, id: `${project}/${id}`, who: speaker, project, hints: [] })
      sessions.set(`${project}/${id}`, turn.session)
    }
  }
  const rows: { category: string; project: string; scores: QuestionScores; ms: number }[] = []
  for (const { project, questions } of dialogues) {
    for (const { query, category, evidence } of questions) {
      const started = performance.now()
      const ranked = await system.recall(query, project, limit)
      const ms = performance.now() - started
      const wanted = evidence.map(id => `${project}/${id}`)
      rows.push({
        category: String(category),
        project,
        scores: scoreQuestion(ranked, wanted, id => sessions.get(id)),
        ms,
      })
    }
  }
  const groups = (key: 'category' | 'project') => {
    const names = [...new Set(rows.map(row => row[key]))]
    const scoresOf = (name: string) => rows.filter(row => row[key] === name).map(row => row.scores)
    return Object.fromEntries(names.map(name => [name, meanScores(scoresOf(name))]))
  }
  return {
    system: system.name,
    overall: meanScores(rows.map(row => row.scores)),
    byCategory: groups('category'),
    byDialogue: groups('project'),
    queryMs: Math.round(1000 * median(rows.map(row => row.ms))) / 1000,
  }
}

function printDialogues(systems: readonly SystemQuality[], print: (line: string) => void): void {
  print(`| system | ${metricNames.join(' | ')} | query ms |`)
  print(`|---|${'---:|'.repeat(metricNames.length + 1)}`)
  for (const { system, overall, queryMs } of systems) {
    print(`| ${system} | ${metricNames.map(name => overall[name].toFixed(1)).join(' | ')} | ${queryMs} |`)
  }
}

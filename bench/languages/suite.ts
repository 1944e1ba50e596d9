import { readFileSync } from 'node:fs'
import { RankedIndex } from '../quality/recall-system.js'

/** Per language: a memory, and a question with other forms or another spelling of its words. */
type Pairs = Record<string, [memory: string, query: string][]>

export interface LanguagesReport {
  language: string
  pairs: number
  /** Questions whose memory is among the first five rows, without the cut-off, and the first row. */
  amongFive: number
  first: number
}

const alike = { hints: [], who: null, project: 'work', createdAt: Date.UTC(2025, 11, 1), session: null }

/** Asks for memories of ten languages, which are in one store, by words alone. */
export async function runLanguagesSuite(): Promise<LanguagesReport[]> {
  const pairs = JSON.parse(readFileSync(new URL('pairs.json', import.meta.url), 'utf8')) as Pairs
  const index = new RankedIndex(() => Date.UTC(2026, 0, 1))
  for (const [language, own] of Object.entries(pairs))
    for (const [at, [content]] of own.entries()) index.add({ ...alike, id: `${language} ${at}`, content })
  const reports: LanguagesReport[] = []
  for (const [language, own] of Object.entries(pairs)) {
    const report = { language, pairs: own.length, amongFive: 0, first: 0 }
    for (const [at, [, query]] of own.entries()) {
      const { ranked } = index.rank(query, await index.search({ query, project: null }))
      const place = ranked.findIndex(({ id }) => id === `${language} ${at}`)
      if (place >= 0 && place < 5) report.amongFive++
      if (place === 0) report.first++
    }
    reports.push(report)
  }
  return reports
}

export function formatLanguagesSuite(reports: readonly LanguagesReport[]): string {
  const rows = reports.map(
    ({ language, pairs, amongFive, first }) => `| ${language} | ${pairs} | ${amongFive} | ${first} |`,
  )
  return ['| language | pairs | among five | first |', '|---|--:|--:|--:|', ...rows].join('\n')
}

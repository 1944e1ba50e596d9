import { writeFile } from 'node:fs/promises'
import { packageFile } from '../../src/lib/files/package-root.js'
import { ablationReport } from './ablation.js'
import { calibrationReport } from './calibration.js'
import { claimsReport } from './claims.js'
import { type DeveloperQuality, developerReport, measureDeveloperMemories } from './developer.js'
import { developerQualitySet, readDeveloperSet } from './developer-set.js'
import { type FitResult, fitReport, measureFit } from './fit-report.js'
import { type MeasuredSet, measureSet, type SetQuality } from './measure-set.js'
import { packagedVectors } from './packaged-vectors.js'
import { readSets } from './read-sets.js'
import { noAnswerReport, setReport } from './set-report.js'
import { measureSmallStores, smallStoresReport } from './small-stores.js'

export interface QualityOptions {
  /** Files or folders of sets; they are not part of this project. */
  data: readonly string[]
  /** Omits each part of the ranking in turn. */
  ablation?: boolean
  /** Also ranks each question with facts that Dreaming's rules extract from the rows. */
  claims?: boolean
  /** Uses the vectors of a packaged model. */
  vectors?: 'words' | 'sentences' | undefined
  /** Also measures stores of a few rows of each set. */
  small?: boolean
  /** Refits `weights.confidence`. */
  fit?: boolean
  /** File for every question with its ranks. */
  json?: string
}

export interface QualityResult {
  developer: DeveloperQuality
  /** The developer memories and every given set. */
  sets: SetQuality[]
  fit: FitResult | undefined
}

/**
 * Measures the quality of recall next to its own channels and to other systems in the same run; without
 * vectors by default.
 * @throws Error when data cannot be read, or `fit` is set without data
 * @param print receives each line of the report
 */
export async function measureQuality(
  { data, ablation = false, claims = false, vectors, small = false, fit = false, json }: QualityOptions,
  print: (line: string) => void,
): Promise<QualityResult> {
  if (fit && data.length === 0) throw new Error('--fit needs more question sets. Pass --data PATH too.')
  const show = (lines: readonly string[]) => print(lines.join('\n'))
  const developer = await measureDeveloperMemories()
  show(developerReport(developer))
  if (data.length === 0) print('\nNo other sets: pass --data PATH or set QUALITY_DATA.')
  const own = packageFile('bench', 'quality', 'paraphrases')
  const sets = [developerQualitySet(await readDeveloperSet()), ...(await readSets([own, ...data]))]
  const measured: MeasuredSet[] = []
  const made = vectors && (await packagedVectors(vectors))
  for (const set of sets) {
    const one = await measureSet(set, sets, { ablation, claims, vectors: made })
    measured.push(one)
    show(setReport(one.quality))
  }
  const qualities = measured.map(({ quality }) => quality)
  show(['', '### No answer', '', ...noAnswerReport(qualities)])
  show(['', '### Score of the best row, and whether it answers', '', ...calibrationReport(qualities)])
  const ablated = qualities.flatMap(({ name, ablation: parts }) => (parts ? [{ name, ablation: parts }] : []))
  if (ablated.length > 0) show(['', '### What each part gives', '', ...ablationReport(ablated)])
  const drawn = qualities.flatMap(({ name, claims: gain }) => (gain ? [{ name, claims: gain }] : []))
  if (drawn.length > 0) show(['', '### What claims give', '', ...claimsReport(drawn)])
  if (small) {
    const stores = []
    for (const set of sets) stores.push({ name: set.name, small: await measureSmallStores(set, sets, made) })
    show(['', '### Stores of a few rows', '', ...smallStoresReport(stores)])
  }
  const fitted = fit
    ? measureFit(
        measured.flatMap(({ cases }) => cases),
        vectors === 'sentences' ? 'meaning' : 'words',
      )
    : undefined
  if (fitted) show(['', '### Confidence, fitted', '', ...fitReport(fitted)])
  const details = measured.map(({ quality: { name }, details: questions }) => ({ name, questions }))
  if (json) await writeFile(json, `${JSON.stringify(details, null, 1)}\n`)
  return { developer, sets: qualities, fit: fitted }
}

import type { RecallBody } from '../../../../contract/memory/memory.js'
import { modelSummary } from '../../../../contract/memory/model-answers.js'
import { clip } from '../../../../lib/text/clip.js'
import { oneLine } from '../../../../lib/text/one-line.js'
import { nameWords } from '../../../ground/entities/name-key.js'
import { isEnabled } from '../../../ground/inference/inference.js'
import { createSections } from '../../../ground/inference/sections.js'
import { charactersPerToken } from '../../../ground/text/tokens.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import { scanTextsInSlices } from '../../../safety/late-scan.js'
import type { RememberDeps } from '../../remember/remember.js'
import { currentnessOf } from '../ranking/currentness.js'
import type { StepReport } from '../ranking/run-steps.js'
import { weights } from '../ranking/weights.js'
import type { AuthorizedRow } from '../search/candidates.js'
import { askerOf, countModelRecall, type ModelDeps, optional } from '../search/optional-steps.js'
import {
  byTime,
  headingOf,
  type Summary,
  type SummaryBudget,
  type SummaryText,
  saveSummary,
  summarize,
} from './saved-summary.js'

/** The summary of a recall (`aggregate` in the API), and the id of the memory it was saved as. */
export interface RecallSummary extends Summary {
  savedAs: string | undefined
}

/**
 * Summarises the currently valid rows, with a model when the settings enable it, otherwise from their own
 * sentences. Saves the summary on request.
 */
export async function makeSummary(
  deps: RememberDeps & ModelDeps,
  { caller, body, report }: { caller: Caller; body: RecallBody; report: StepReport },
  rows: readonly AuthorizedRow[],
): Promise<RecallSummary | undefined> {
  const now = deps.clock().toISOString()
  const budget = body.aggregateBudget ?? 'small'
  const valid = rows.filter(({ row }) => ['current', 'upcoming'].includes(currentnessOf(row, now)))
  const byModel = isEnabled(deps.configuration().settings, 'recall_summary')
    ? await optional(deps, report, 'aggregate_model', () =>
        summarizeByModel(deps, { caller, body }, valid, budget),
      )
    : undefined
  const composed =
    byModel ?? (await optional(deps, report, 'aggregate', () => summarize(body.query, valid, budget)))
  if (!composed) return undefined
  const summary = { ...composed, budget, byModel: byModel !== undefined }
  const savedAs = body.saveAggregate
    ? await optional(deps, report, 'save_aggregate', () => saveSummary(deps, caller, body, summary))
    : undefined
  return { ...summary, savedAs }
}

/**
 * Counts a recall that requests a model summary, before any work for it.
 * @throws AppError `rate_limited`
 */
export function admitSummary(deps: ModelDeps, caller: Caller, { aggregate }: RecallBody): void {
  if (aggregate && isEnabled(deps.configuration().settings, 'recall_summary')) countModelRecall(deps, caller)
}

const rowCharacters = 600
const deadlineMs = 15_000

const task =
  'Summarise what the texts say about the question, in a few plain sentences of your own, for an agent that works on it. Say only what the texts say, and point out contradictions between them. With each sentence, list the numbers of the texts that support it. If there is nothing to say, answer with an empty list.'

/**
 * Summarises rows in a model's words (recall.md 4.9). Drops sentences that name no row, or that contain a
 * number, date or version missing from their rows.
 * @returns undefined when nothing is left. @throws InferenceFault; Error for a text that content safety
 * refuses
 */
async function summarizeByModel(
  deps: ModelDeps,
  { caller, body }: { caller: Caller; body: RecallBody },
  ranked: readonly AuthorizedRow[],
  budget: SummaryBudget,
): Promise<SummaryText | undefined> {
  const rows = ranked.slice(0, weights.summary.rows)
  if (rows.length === 0) return undefined
  const { rule, section } = createSections()
  const texts = rows.map(({ row }, index) =>
    section(index + 1, `${row.created_at.slice(0, 10)}: ${clip(row.content, rowCharacters)}`),
  )
  const characters = weights.summary.characters[budget]
  const { value } = await deps.inference().ask({
    use: 'recall_summary',
    instructions: `${task} Use at most ${characters} characters in total.\n\n${rule}`,
    input: [section('question', oneLine(body.query, rowCharacters)), ...texts].join('\n\n'),
    name: 'summary',
    schema: modelSummary,
    maxOutputTokens: 2 * Math.ceil(characters / charactersPerToken) + 200,
    deadlineMs,
    maxTokensPerDay: deps.configuration().settings.recall.maxTokensPerDay,
    hasFallback: true,
    asker: askerOf(caller, body),
  })
  const summary = composeSummary(headingOf(body.query), value.sentences, { rows, characters })
  if (!summary) return undefined
  const { status } = await scanTextsInSlices([summary.text])
  if (status !== 'clean') throw new Error('the model summary did not pass the content safety check')
  return summary
}

function composeSummary(
  heading: string,
  sentences: readonly { rows: number[]; sentence: string }[],
  { rows, characters }: { rows: readonly AuthorizedRow[]; characters: number },
): SummaryText | undefined {
  const lines: string[] = []
  const used = new Set<AuthorizedRow>()
  let left = characters - heading.length
  for (const { rows: numbers, sentence } of sentences) {
    const sources = numbers.flatMap(number => rows[number - 1] ?? [])
    const line = oneLine(sentence, characters)
    if (sources.length === 0 || line.length + 1 > left || !isCovered(line, sources)) continue
    lines.push(line)
    left -= line.length + 1
    for (const source of sources) used.add(source)
  }
  return lines.length > 0
    ? { text: [heading, ...lines].join('\n'), sources: [...used].sort(byTime) }
    : undefined
}

/** True when every word with a digit is in one of the rows: invented content is mostly numbers. */
function isCovered(sentence: string, sources: readonly AuthorizedRow[]): boolean {
  const said = new Set(sources.flatMap(({ row }) => nameWords(`${row.content} ${row.created_at}`)))
  return nameWords(sentence)
    .filter(word => /\p{N}/u.test(word))
    .every(word => said.has(word))
}

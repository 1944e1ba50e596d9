import type { z } from 'zod'
import { type ModelReading, modelReading } from '../../../../contract/knowledge/dreaming.js'
import { oneLine } from '../../../../lib/text/one-line.js'
import { estimatedTokens, nothingSpent } from '../../../ground/inference/accounting.js'
import {
  InferenceFault,
  type InferenceFaultKind,
  isEnabled,
  limitOf,
  type ModelUsage,
  type Question,
} from '../../../ground/inference/inference.js'
import { createSections } from '../../../ground/inference/sections.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { deterministicReader } from '../deterministic/late-reader.js'
import {
  type DreamReader,
  type EvidenceText,
  type ExtractedOperation,
  isBelieved,
  type KnownName,
  type ReadingRequest,
  type ReadingResult,
} from '../reader.js'
import { batchesOf, type Excerpt, toOperations } from './to-operations.js'

type ProviderReaderDeps = Pick<Daemon, 'inference' | 'configuration' | 'background'>

/** Faults before a question was sent. */
const unsentFaults: readonly InferenceFaultKind[] = ['off', 'incomplete', 'paused', 'busy', 'spent']
/** Faults caused by the texts of one question; after any other fault no further question is sent. */
const ownFaults: readonly InferenceFaultKind[] = ['malformed', 'cut', 'declined', 'refused']

/**
 * Returns the reader of passes: rules, which need no provider, unless the settings select a model
 * (inference.md#dreaming).
 */
export function currentReader(deps: ProviderReaderDeps): DreamReader {
  const { settings } = deps.configuration()
  return isEnabled(settings, 'dreaming') ? createProviderReader(deps) : deterministicReader
}

/**
 * Creates a reader that uses the configured language model (knowledge.md#dreaming). Texts are sent as data in
 * separate sections; the findings carry quotes, which operations verify like any others. Rules read the same
 * texts first: their certain facts stay, and texts the model could not read have all of theirs
 * (inference.md#dreaming).
 */
export function createProviderReader(deps: ProviderReaderDeps): DreamReader {
  const { provider, model } = deps.configuration().settings.inference
  const name = `${provider} ${model ?? ''}`.trim()
  return {
    name,
    read: async reading => {
      const { operations, failed, left } = await ask(deps, name, reading)
      const unread = new Set([...failed.map(({ piece }) => piece), ...left])
      const byRules = await deterministicReader.read(reading)
      const isLeft = new Set([...unread].map(({ sourceId }) => sourceId))
      const kept = byRules.operations.filter(one => one.isSure || isFrom(one, isLeft))
      return { operations: [...kept, ...operations], failed, left }
    },
  }
}

function isFrom({ operation }: ExtractedOperation, sources: ReadonlySet<string>): boolean {
  return operation.evidence?.some(({ sourceId }) => sources.has(sourceId)) ?? false
}

async function ask(
  deps: ProviderReaderDeps,
  reader: string,
  reading: ReadingRequest,
): Promise<ReadingResult> {
  const operations: ExtractedOperation[] = []
  const failed = new Map<EvidenceText, string>()
  const left = new Set<EvidenceText>()
  let isOver = false
  for (const excerpts of batchesOf(reading.pieces.filter(isBelieved))) {
    reading.signal.throwIfAborted()
    const end = isOver ? 'left' : await askOnce(deps, reader, reading, excerpts)
    if (Array.isArray(end)) {
      operations.push(...end)
    } else if (end !== 'left' && ownFaults.includes(end.kind)) {
      for (const { piece } of excerpts) failed.set(piece, end.kind)
    } else {
      isOver = true
      for (const { piece } of excerpts) left.add(piece)
    }
  }
  const unread = [...failed].filter(([piece]) => !left.has(piece))
  return { operations, failed: unread.map(([piece, reason]) => ({ piece, reason })), left: [...left] }
}

/** @returns the extracted operations, `left` if the budget is too small for the question, or the fault */
async function askOnce(
  { inference, configuration, background }: ProviderReaderDeps,
  reader: string,
  { known, budget, signal }: ReadingRequest,
  excerpts: readonly Excerpt[],
): Promise<ExtractedOperation[] | 'left' | InferenceFault> {
  const { settings } = configuration()
  if (!isEnabled(settings, 'dreaming')) return 'left'
  const { deadlineMs } = settings.dreaming
  const maxTokensPerDay = limitOf(settings, 'dreaming')
  const question = readingQuestion(excerpts, known, { maxTokensPerDay, deadlineMs })
  const input = estimatedTokens(question.instructions + question.input)
  if (budget.callsLeft() === 0 || budget.tokensLeft() < input + question.maxOutputTokens) return 'left'
  const started = performance.now()
  const note = (spent: ModelUsage): Promise<void> =>
    budget.spend(callOf(spent, reader, performance.now() - started))
  try {
    const asking = (either: AbortSignal) => inference().ask({ ...question, signal: either })
    const { value, spent } = await background.run(asking, signal)
    await note(spent)
    return toOperations(value.findings, { excerpts, known, reader })
  } catch (error) {
    if (!(error instanceof InferenceFault)) throw error
    if (unsentFaults.includes(error.kind)) return error.kind === 'spent' ? 'left' : error
    // A late answer was still processed by the provider, and a refusal is a call, too.
    const inputTokens = error.kind === 'late' ? input : 0
    await note(error.spent ?? { ...nothingSpent, inputTokens, cost: null })
    return error
  }
}

function callOf(
  spent: ModelUsage,
  model: string,
  durationMs: number,
): Parameters<ReadingRequest['budget']['spend']>[0] {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cost, costCoverage, tokenCoverage } =
    spent
  return {
    model,
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    counted: tokenCoverage === 'provider_reported' ? tokenCoverage : 'locally_estimated',
    cost,
    costCoverage,
    durationMs: Math.round(durationMs),
  }
}

const task = `You read texts of software developers and say what they say outright, for a memory that others rely on.
Write down a finding only for what a text states as a fact or a decision that holds: no questions, no plans that may change, nothing conditional, nothing that you know from elsewhere, nothing about these instructions. No finding is better than an unsure one; an empty list is a good answer.
For each finding give your reasoning in one sentence, the number of the text, a quote copied from that text word for word that says it by itself, and the operation:
- create_entity: a person, project, tool, place or concept that the quote names, with its type.
- add_alias: the quote says that two names mean the same.
- assert_claim: a value of one slot of an entity (aspect such as deployment, claim such as database), in the words of the quote; validFrom and validUntil as YYYY-MM-DD only where the quote says since when or until when, else null.
- link: the quote says how two entities are related.
- supersede_memory: this text says that what an older text says holds no more; olderText is its number.
Names, values and relations are words of the quote, or names that are known already. confidence is how sure it is that the quote says it, 0 to 1.`

const maxOutputTokens = 1500

/** Limits of known names in a question and of values shown for each, so that the model reuses their slots. */
const maxNames = 20

const maxClaims = 5

/** Builds one question for several texts. */
function readingQuestion(
  excerpts: readonly Excerpt[],
  known: readonly KnownName[],
  limits: Pick<Question<unknown>, 'maxTokensPerDay' | 'deadlineMs'>,
): Question<ModelReading> {
  const { rule, section } = createSections()
  const texts = excerpts.map(({ piece, text }, index) => {
    const by = piece.speaker === null ? [] : [section(`author of ${index + 1}`, oneLine(piece.speaker, 80))]
    return [`Text ${index + 1}, ${piece.at.slice(0, 10)}`, ...by, section(index + 1, text)].join('\n')
  })
  const names = known.slice(0, maxNames).map(nameLine)
  const about = names.length > 0 ? [`Known names:\n${section('names', names.join('\n'))}`] : []
  return {
    use: 'dreaming',
    instructions: `${task}\n\n${rule}`,
    input: [...about, ...texts].join('\n\n'),
    name: 'findings',
    schema: modelReading as z.ZodType<ModelReading>,
    maxOutputTokens,
    hasFallback: true,
    ...limits,
  }
}

function nameLine({ name, aliases, type, claims }: KnownName): string {
  const others = aliases.length > 0 ? `, also ${aliases.slice(0, maxClaims).join(', ')}` : ''
  const held = claims.slice(0, maxClaims).map(({ aspect, claim, value }) => `${aspect}/${claim} = ${value}`)
  return oneLine(`${name} (${type}${others})${held.length > 0 ? `: ${held.join('; ')}` : ''}`, 400)
}

import { estimatedTokens, nothingSpent } from '../../../ground/inference/accounting.js'
import { InferenceFault, type InferenceFaultKind, type Spent } from '../../../ground/inference/inference.js'
import { isEnabled, limitOf } from '../../../ground/inference/uses.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { deterministicReader } from '../deterministic/late-reader.js'
import { isBelieved } from '../evidence/is-believed.js'
import type { DreamReader, EvidencePiece, FoundOperation, Reading, ReadingResult } from '../reader.js'
import { readingQuestion } from './reading-question.js'
import { batchesOf, type Excerpt } from './text-batches.js'
import { toOperations } from './to-operations.js'

export type ProviderReaderDeps = Pick<Daemon, 'inference' | 'configuration' | 'background'>

/** Faults of questions that nobody was asked. */
const neverSent: readonly InferenceFaultKind[] = ['off', 'incomplete', 'paused', 'busy', 'spent']
/** Faults that concern the texts of one question; after others nobody else is asked. */
const ownFaults: readonly InferenceFaultKind[] = ['malformed', 'cut', 'declined', 'refused']

/**
 * Reads by the language model of the settings (knowledge.md#dreaming): texts go out as data in sections of their own,
 * and what comes back is findings with quotes, which the operations look up as anybody's. What it does not read, for
 * whatever reason, rules read at once (inference.md#dreaming).
 */
export function createProviderReader(deps: ProviderReaderDeps): DreamReader {
  const { provider, model } = deps.configuration().settings.inference
  const name = `${provider} ${model ?? ''}`.trim()
  return {
    name,
    read: async reading => {
      const { operations, failed, left } = await ask(deps, name, reading)
      const unread = new Set([...failed.map(({ piece }) => piece), ...left])
      const pieces = reading.pieces.filter(piece => unread.has(piece))
      const byRules = await deterministicReader.read({ ...reading, pieces })
      return { operations: [...operations, ...byRules.operations], failed, left }
    },
  }
}

async function ask(deps: ProviderReaderDeps, reader: string, reading: Reading): Promise<ReadingResult> {
  const operations: FoundOperation[] = []
  const failed = new Map<EvidencePiece, string>()
  const left = new Set<EvidencePiece>()
  const state = { isOver: false }
  for (const excerpts of batchesOf(reading.pieces.filter(isBelieved))) {
    reading.signal.throwIfAborted()
    const end = state.isOver ? 'left' : await askOnce(deps, reader, reading, excerpts)
    if (Array.isArray(end)) {
      operations.push(...end)
    } else if (end !== 'left' && ownFaults.includes(end.kind)) {
      for (const { piece } of excerpts) failed.set(piece, end.kind)
    } else {
      state.isOver = true
      for (const { piece } of excerpts) left.add(piece)
    }
  }
  const unread = [...failed].filter(([piece]) => !left.has(piece))
  return { operations, failed: unread.map(([piece, reason]) => ({ piece, reason })), left: [...left] }
}

/** @returns what was found, `left` where the budget has no room for the question, or why there is no answer */
async function askOnce(
  { inference, configuration, background }: ProviderReaderDeps,
  reader: string,
  { known, budget, signal }: Reading,
  excerpts: readonly Excerpt[],
): Promise<FoundOperation[] | 'left' | InferenceFault> {
  const { settings } = configuration()
  if (!isEnabled(settings, 'dreaming')) return 'left'
  const { deadlineMs } = settings.dreaming
  const maxTokensPerDay = limitOf(settings, 'dreaming')
  const question = readingQuestion(excerpts, known, { maxTokensPerDay, deadlineMs })
  const input = estimatedTokens(question.instructions + question.input)
  if (budget.callsLeft() === 0 || budget.tokensLeft() < input + question.maxOutputTokens) return 'left'
  const started = performance.now()
  const note = (spent: Spent): Promise<void> =>
    budget.spend(callOf(spent, reader, performance.now() - started))
  try {
    const asking = (either: AbortSignal) => inference().ask({ ...question, signal: either })
    const { value, spent } = await background.run(asking, signal)
    await note(spent)
    return toOperations(value.findings, { excerpts, known, reader })
  } catch (error) {
    if (!(error instanceof InferenceFault)) throw error
    if (neverSent.includes(error.kind)) return error.kind === 'spent' ? 'left' : error
    // An answer that never came was read for all the same, and a refusal is a call.
    const inputTokens = error.kind === 'late' ? input : 0
    await note(error.spent ?? { ...nothingSpent, inputTokens, cost: null })
    return error
  }
}

function callOf(spent: Spent, model: string, durationMs: number): Parameters<Reading['budget']['spend']>[0] {
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

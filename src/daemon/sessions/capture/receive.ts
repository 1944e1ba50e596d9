import { join } from 'node:path'
import type { InlineTranscript } from '../../../contract/sessions/hook-capture.js'
import type { LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import { createLines } from '../../../store/files/line-file.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { readTranscript } from '../transcripts/readers/read-transcript.js'
import { stringSlices } from '../transcripts/readers/text-slices.js'
import { roleOf, type TranscriptMessage, textOf, timeOf } from '../transcripts/transcript-message.js'
import { cleanMessages } from './clean.js'

/**
 * Writes an inline transcript to a file until it is captured; private parts are never written.
 * @returns the file; undefined without any message.
 */
export async function receiveInline(
  { paths, budget }: Pick<Daemon, 'paths' | 'budget'>,
  captureId: string,
  transcript: InlineTranscript,
): Promise<string | undefined> {
  const file = join(paths.captures, `${captureId}.jsonl`)
  const messages = cleanMessages(inlineMessages(transcript, budget))
  const first = await messages.next()
  if (first.done) return undefined
  const lines = async function* (): AsyncGenerator<string> {
    yield JSON.stringify(first.value)
    for await (const message of messages) yield JSON.stringify(message)
  }
  await createLines(file, lines())
  return file
}

/** Length in UTF-16 units, with which checkpoints measure what is new. */
export function inlineLength(transcript: InlineTranscript): number {
  if (typeof transcript === 'string') return transcript.length
  return transcript.reduce((sum, turn) => sum + textOfTurn(turn).length, 0)
}

function inlineMessages(transcript: InlineTranscript, budget: LoopBudget): AsyncGenerator<TranscriptMessage> {
  return typeof transcript === 'string'
    ? readTranscript(stringSlices(transcript), budget)
    : turns(transcript, budget)
}

type Turn = Exclude<InlineTranscript, string>[number]

async function* turns(list: readonly Turn[], budget: LoopBudget): AsyncGenerator<TranscriptMessage> {
  for (const turn of list) {
    const role = roleOf(turn.role)
    const text = textOfTurn(turn)
    if (role !== undefined && text.trim() !== '') yield { role, text, at: timeOf(turn.at ?? turn.timestamp) }
    await budget.breathe()
  }
}

function textOfTurn({ text, content }: Turn): string {
  return text ?? textOf(content ?? '')
}

import type { PreCompactionBody, PreCompactionReply } from '../../../contract/sessions/hook-compaction.js'
import { clip } from '../../../lib/text/clip.js'
import { harmless } from '../../../lib/text/harmless.js'
import { oneLine } from '../../../lib/text/one-line.js'
import { envelope } from '../../ground/text/envelope.js'
import { withoutPrivate } from '../../ground/text/private-spans.js'
import { withoutRecalled } from '../../ground/text/recalled-spans.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { bestMemories } from '../hooks/session-memories.js'
import { type EnterDeps, enterHook, type HookSession } from '../tracker/enter-hook.js'

type Deps = EnterDeps & Pick<Daemon, 'store' | 'clock' | 'configuration'>

const maxContext = 2000
const maxMemory = 500

/** The default guidelines. */
export const defaultGuidelines = [
  'Keep what the next part of the session cannot do without:',
  '- what the user wants, and what they decided, forbade or prefer, in their own words',
  '- what was done, and how it was checked: files, commands, results',
  '- what is unfinished, under a heading `Next steps`, one item a line',
  '- problems that were met, and what solved them or did not',
  'Keep names, paths, numbers and identifiers exactly. Leave out small talk, and whatever the user called private.',
].join('\n')

/**
 * How a harness should sum up a session before its context is compacted, with the newest memories, which need not be
 * said again (rules.md 4.10 and 4.12). Begins no context epoch: only the end of the compaction does.
 */
export async function preCompaction(
  deps: Deps,
  caller: Caller,
  body: PreCompactionBody,
): Promise<PreCompactionReply> {
  const entry = await enterHook(deps, caller, body)
  if (entry.kind === 'no-op') return { summaryPrompt: '', guidelines: '', ...entry.flag }
  const { summaryGuidelines: guidelines = defaultGuidelines } =
    deps.configuration().settings.hooks.preCompaction
  const known = await knownMemories(deps, caller, entry.session)
  const parts = [opening(body), guidelines, context(body), known]
  return { summaryPrompt: parts.filter(part => part !== '').join('\n\n'), guidelines }
}

function opening({ messageCount }: PreCompactionBody): string {
  const what = messageCount ? `its ${messageCount} messages` : 'what was said'
  return `The context of this session is about to be compacted. Write a summary that takes the place of ${what}.`
}

function context({ sessionContext }: PreCompactionBody): string {
  const text = withoutPrivate(withoutRecalled(sessionContext ?? '')).trim()
  return text === '' ? '' : `What the session is about:\n${harmless(clip(text, maxContext))}`
}

/** Enclosed in an envelope, so that a later capture of the transcript leaves the memories out. */
async function knownMemories(deps: Deps, caller: Caller, session: HookSession): Promise<string> {
  const { includeRecentMemories, memoryLimit: limit } = deps.configuration().settings.hooks.preCompaction
  if (!includeRecentMemories || limit === 0) return ''
  const newest = { limit, recencyBias: 1, shown: new Set<string>() }
  const memories = await bestMemories(deps, caller, session, newest)
  if (memories.length === 0) return ''
  const lines = memories.map(({ preview: { type, content } }) =>
    harmless(`- [${type}] ${oneLine(content, maxMemory)}`),
  )
  return envelope(`Remembered already, for reference: the summary need not repeat it.\n${lines.join('\n')}`)
}

import type { PreCompactionBody, PreCompactionReply } from '../../../contract/sessions/hooks.js'
import { clip } from '../../../lib/text/clip.js'
import { harmless } from '../../../lib/text/harmless.js'
import { oneLine } from '../../../lib/text/one-line.js'
import { envelope } from '../../ground/text/envelope.js'
import { withoutPrivate } from '../../ground/text/private-spans.js'
import { withoutRecalled } from '../../ground/text/tag-spans.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { bestMemories, viewOf } from '../hooks/session-memories.js'
import { type EnterDeps, enterHook, type HookSession } from '../tracker/enter-hook.js'

type Deps = EnterDeps & Pick<Daemon, 'store' | 'clock' | 'configuration'>

const maxContext = 2000
const maxMemory = 500

/** The default guidelines. */
export const defaultGuidelines = [
  'Keep what the rest of the session needs:',
  '- what the user wants, and what they decided, ruled out or prefer, in their own words',
  '- what was done and how it was checked: files, commands, results',
  '- unfinished work, under a heading `Next steps`, one item per line',
  '- problems, and what solved them or did not',
  'Keep names, paths, numbers and identifiers exact. Leave out small talk and anything the user marked as private.',
].join('\n')

/**
 * Returns instructions for a summary before the context is compacted, with the newest memories, which it need
 * not repeat (rules.md 4.10 and 4.12). It begins no context epoch; only the end of the compaction does.
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
  const what = messageCount ? `its ${messageCount} messages` : 'the conversation'
  return `The context of this session is about to be compacted. Write a summary that replaces ${what}.`
}

function context({ sessionContext }: PreCompactionBody): string {
  const text = withoutPrivate(withoutRecalled(sessionContext ?? '')).trim()
  return text === '' ? '' : `Topic of the session:\n${harmless(clip(text, maxContext))}`
}

/** The envelope makes a later capture of the transcript leave the memories out. */
async function knownMemories(deps: Deps, caller: Caller, session: HookSession): Promise<string> {
  const { includeRecentMemories, memoryLimit: limit } = deps.configuration().settings.hooks.preCompaction
  if (!includeRecentMemories || limit === 0) return ''
  const newest = { limit, recencyBias: 1, shown: new Set<string>() }
  const memories = await bestMemories(deps, await viewOf(deps, caller, session), newest)
  if (memories.length === 0) return ''
  const lines = memories.map(({ preview: { type, content } }) =>
    harmless(`- [${type}] ${oneLine(content, maxMemory)}`),
  )
  return envelope(`Already in memory, for reference; the summary need not repeat it.\n${lines.join('\n')}`)
}

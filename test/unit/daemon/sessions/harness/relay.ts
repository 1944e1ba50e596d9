import { pino } from 'pino'
import type { DialectHarness, HarnessHook } from '../../../../../src/contract/sessions/harness-names.js'
import type { SelfReply } from '../../../../../src/daemon/platform/daemon/ask-self.js'
import { dialectOf } from '../../../../../src/daemon/sessions/harness/dialects.js'
import {
  createEventDeduplicator,
  type EventDeduplicator,
} from '../../../../../src/daemon/sessions/harness/event-deduplicator.js'
import { type HookAnswer, relayHook } from '../../../../../src/daemon/sessions/harness/relay-hook.js'
import type { SessionFiles } from '../../../../../src/daemon/sessions/harness/session-files.js'

export interface RelayedRequest {
  path: string
  headers: Record<string, string> | undefined
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any hook
  body: any
}

export interface RelayedAnswer extends HookAnswer {
  /** The request to the API of the daemon; undefined without one. */
  asked: RelayedRequest | undefined
  all: readonly RelayedRequest[]
  // biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of any harness
  json: any
}

/**
 * Relays a hook to a fake API. `reply` is a body, the status of a refusal, or the Error of a stopping daemon.
 */
export async function relay(
  harness: DialectHarness,
  hook: HarnessHook,
  input: unknown,
  {
    reply = {},
    time,
    files,
    heard = createEventDeduplicator(),
  }: { reply?: object | number | Error; time?: string; files?: SessionFiles; heard?: EventDeduplicator } = {},
): Promise<RelayedAnswer> {
  const asked: RelayedRequest[] = []
  const answer = await relayHook(
    {
      log: pino({ level: 'silent' }),
      files,
      heard,
      starts: undefined,
      owed: undefined,
      clocks: undefined,
      ask: async ({ path, headers, body }) => {
        asked.push({ path, headers, body: JSON.parse(String(body)) })
        if (reply instanceof Error) throw reply
        return replyOf(reply)
      },
    },
    { dialect: dialectOf(harness), hook, input, time },
  )
  const json = answer.type === 'json' ? JSON.parse(answer.text) : undefined
  return { ...answer, asked: asked[0], all: asked, json }
}

function replyOf(reply: object | number): SelfReply {
  if (typeof reply === 'object') return { status: 200, headers: {}, text: JSON.stringify(reply) }
  return { status: reply, headers: {}, text: JSON.stringify({ error: 'no', code: 'refusal' }) }
}

/** Fields that Claude Code, Codex and Gemini CLI send with every event. */
export function nativeInput(hook_event_name: string, fields: object = {}): object {
  return {
    session_id: 's-1',
    transcript_path: '/home/ann/.agent/s-1.jsonl',
    cwd: '/work/api',
    hook_event_name,
    permission_mode: 'default',
    ...fields,
  }
}

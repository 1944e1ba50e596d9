import type { z } from 'zod'
import type { EndpointShape } from './ground/endpoint.js'
import * as change from './memory/change.js'
import * as embeddings from './memory/embeddings.js'
import * as feedback from './memory/feedback.js'
import * as memory from './memory/memory.js'
import * as notes from './memory/native-note.js'
import * as record from './memory/record.js'
import * as search from './memory/search.js'
import * as system from './operations/system.js'
import * as transfer from './operations/transfer.js'
import * as auth from './platform/auth.js'
import * as blackbox from './sessions/black-box.js'
import * as harness from './sessions/harness-hook.js'
import * as capture from './sessions/hook-capture.js'
import * as compaction from './sessions/hook-compaction.js'
import * as hookMemory from './sessions/hook-memory.js'
import * as notifications from './sessions/hook-notifications.js'
import * as prompt from './sessions/hook-prompt.js'
import * as start from './sessions/hook-session-start.js'
import * as sessions from './sessions/sessions.js'
import * as summaries from './sessions/summaries.js'
import * as synthesis from './sessions/synthesis.js'
import * as transcripts from './sessions/transcripts.js'

/** Every endpoint of the HTTP API: what is bound, what OpenAPI shows, what the guard tests walk. */
export const endpoints = [
  system.health,
  system.ready,
  system.status,
  system.openapi,
  system.docs,
  system.shutdown,
  system.pullModel,
  auth.issueToken,
  auth.whoami,
  auth.login,
  auth.ssoLogin,
  auth.samlLogin,
  auth.createApiKey,
  auth.listApiKeys,
  auth.revokeApiKey,
  memory.remember,
  memory.recall,
  feedback.feedback,
  record.listMemories,
  record.getMemory,
  change.deleteMemory,
  change.forget,
  record.memoryHistory,
  change.recoverMemory,
  record.memoryLineage,
  change.patchMemory,
  change.modify,
  change.tombstoneMemory,
  change.supersedeMemory,
  notes.nativeNote,
  search.recallByGet,
  search.searchMemories,
  search.similarMemories,
  embeddings.exportEmbeddings,
  embeddings.embeddingsStatus,
  transfer.exportMemories,
  transfer.importMemories,
  harness.harnessHook,
  compaction.preCompaction,
  compaction.compactionComplete,
  start.sessionStart,
  prompt.promptSubmit,
  hookMemory.hookRemember,
  hookMemory.hookRecall,
  notifications.hookNotifications,
  sessions.listSessions,
  sessions.getSession,
  sessions.bypassSession,
  synthesis.synthesisConfig,
  synthesis.synthesis,
  synthesis.synthesisComplete,
  synthesis.triggerSynthesis,
  blackbox.listBlackBoxes,
  blackbox.blackBox,
  summaries.listSummaries,
  summaries.expandSummary,
  capture.sessionEnd,
  capture.checkpointExtract,
  capture.captureStatus,
  transcripts.sessionTranscript,
  transcripts.searchSessions,
] as const satisfies readonly EndpointShape[]

type Known = (typeof endpoints)[number]
type AddressOf<E extends EndpointShape> = `${E['method']} ${E['path']}`

/** `POST /api/memory/recall` and so on: clients name an endpoint by it and load no schema at run time. */
export type Address = AddressOf<Known>
type At<A extends Address> = Extract<
  Known,
  { method: A extends `${infer M} ${string}` ? M : never; path: A extends `${string} ${infer P}` ? P : never }
>
type Input<E, K extends string> = E extends { [key in K]: infer S extends z.ZodType } ? z.input<S> : undefined

export type Request<A extends Address> = {
  params?: Input<At<A>, 'params'>
  query?: Record<string, string | number | boolean | undefined>
  body?: Input<At<A>, 'body'>
  /** Body of an endpoint that takes lines of JSON. */
  lines?: At<A> extends { lines: object } ? string : undefined
}
export type Reply<A extends Address> = z.infer<At<A>['response']>

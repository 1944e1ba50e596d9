import type { z } from 'zod'
import * as auth from './auth.js'
import * as embeddings from './embeddings.js'
import type { EndpointShape } from './endpoint.js'
import * as harness from './harness-hook.js'
import * as capture from './hook-capture.js'
import * as compaction from './hook-compaction.js'
import * as hookMemory from './hook-memory.js'
import * as notifications from './hook-notifications.js'
import * as prompt from './hook-prompt.js'
import * as start from './hook-session-start.js'
import * as memory from './memory.js'
import * as change from './memory-change.js'
import * as feedback from './memory-feedback.js'
import * as record from './memory-record.js'
import * as search from './memory-search.js'
import * as notes from './native-note.js'
import * as blackbox from './session-blackbox.js'
import * as summaries from './session-summaries.js'
import * as transcripts from './session-transcripts.js'
import * as sessions from './sessions.js'
import * as synthesis from './synthesis.js'
import * as system from './system.js'
import * as transfer from './transfer.js'

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

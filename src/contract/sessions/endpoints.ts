import type { EndpointShape } from '../ground/endpoint.js'
import * as blackbox from './black-box.js'
import * as captureRules from './capture-rules.js'
import * as harness from './harness-hook.js'
import * as capture from './hook-capture.js'
import * as compaction from './hooks.js'
import * as hooks from './hooks.js'
import * as preview from './preview.js'
import * as sessions from './sessions.js'
import * as work from './sessions.js'
import * as summaries from './summaries.js'
import * as synthesis from './summaries.js'
import * as transcripts from './transcripts.js'

/** Endpoints of sessions, hooks, transcripts and summaries. */
export const sessionsEndpoints = [
  harness.harnessHook,
  compaction.preCompaction,
  compaction.compactionComplete,
  hooks.sessionStart,
  hooks.subagentStart,
  hooks.promptSubmit,
  hooks.hookRemember,
  hooks.hookRecall,
  hooks.hookNotifications,
  sessions.listSessions,
  sessions.getSession,
  sessions.bypassSession,
  synthesis.synthesisConfig,
  synthesis.synthesis,
  synthesis.synthesisComplete,
  synthesis.triggerSynthesis,
  captureRules.captureState,
  blackbox.listBlackBoxes,
  blackbox.blackBox,
  blackbox.sessionActivity,
  preview.previewContext,
  summaries.listSummaries,
  summaries.expandSummary,
  capture.sessionEnd,
  capture.checkpointExtract,
  capture.captureStatus,
  transcripts.sessionTranscript,
  transcripts.sessionTurns,
  transcripts.searchSessions,
  work.sessionWork,
  work.fileWork,
] as const satisfies readonly EndpointShape[]

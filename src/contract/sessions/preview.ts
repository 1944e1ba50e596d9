import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { previewEvents, previewHarnesses } from './harness-names.js'
import { hookFields } from './hooks.js'

/** The kind of place for which a record competes with others of its kind. */
const place = z.enum(['guide', 'issue', 'newest', 'session', 'message', 'entity', 'answer'])
export type PreviewPlace = z.infer<typeof place>

/** Whole lines of the text and the line ends behind them; the parts together are the text. */
const part = z.object({
  text: z.string(),
  tokens: z.int(),
  kind: z.enum([
    'frame',
    'clock',
    'instructions',
    'plugin',
    'sessionKey',
    'label',
    'heading',
    'identity',
    'memory',
    'message',
    'session',
    'summary',
    'entity',
    'shortened',
  ]),
  /** Why it is there, in a few words. */
  why: z.string(),
  /** Only for a record, such as a memory or a message. */
  record: z
    .object({
      id: z.string(),
      place,
      /** Position among the records of its place, from 1. */
      rank: z.int(),
      type: z.string().optional(),
      pinned: z.boolean().optional(),
      /** Score of a memory (rules.md 4.12), or the confidence of an entity's best value. */
      score: z.number().optional(),
      importance: z.number().optional(),
      createdAt: z.string().optional(),
    })
    .optional(),
})
export type PreviewPart = z.infer<typeof part>
export type PreviewRecord = NonNullable<PreviewPart['record']>

/**
 * Why a record has no line of its own: a person marked it as wrong, MEMORY.md below has it, the token budget,
 * it says the same as another, the last three sessions got it and never used it, its places are full, the
 * session has it already, or no value is certain enough.
 */
const reason = z.enum(['wrong', 'summary', 'budget', 'alike', 'unused', 'full', 'shownBefore', 'notSure'])
export type PreviewReason = z.infer<typeof reason>

const displaced = z.object({
  id: z.string(),
  text: z.string(),
  type: z.string().optional(),
  score: z.number().optional(),
  pinned: z.boolean().optional(),
  reason,
  /** The record that says the same. */
  alikeTo: z.string().optional(),
})
export type DisplacedRecord = z.infer<typeof displaced>

/** Records of one kind: how many the text has, and which it leaves out. */
const group = z.object({
  place,
  shown: z.int(),
  notShown: z.int(),
  /** More may be left out than were counted. */
  atLeast: z.boolean(),
  /** The first that are left out. */
  first: z.array(displaced),
})
export type PreviewGroup = z.infer<typeof group>

const changed = z.object({
  id: z.string(),
  kind: z.enum(['memory', 'session', 'message']),
  /** Empty if the caller may no longer see it. */
  text: z.string(),
  type: z.string().optional(),
  why: z.string(),
})
export type ChangedRecord = z.infer<typeof changed>

/** The difference to the last start of a session of this agent and project. */
const difference = z.object({
  sessionKey: z.string(),
  harness: z.string().nullable(),
  at: z.string(),
  tokens: z.int().nullable(),
  added: z.array(changed),
  removed: z.array(changed),
  same: z.int(),
})
export type PreviewDifference = z.infer<typeof difference>

const event = z.enum(previewEvents)

export const previewContext = endpoint({
  method: 'POST',
  path: '/api/sessions/preview',
  summary: 'Preview the text that an agent would get, with the reason for each line; records nothing',
  permission: 'recall',
  mutates: false,
  body: hookFields
    .omit({ runtimePath: true })
    .extend({
      harness: z.enum(previewHarnesses).default('claude-code'),
      event: event.default('start'),
      /** The text of the prompt; required for the event `prompt`. */
      prompt: z.string().max(1_000_000).nullish(),
      /** Compares a start with the last one. */
      diff: z.boolean().default(false),
    })
    .refine(({ event, prompt }) => (event === 'prompt') === (typeof prompt === 'string'), {
      path: ['prompt'],
      message: 'is required for the event prompt, and for no other',
    })
    .refine(({ event, diff }) => !diff || event === 'start', {
      path: ['diff'],
      message: 'is for the event start only',
    }),
  response: z.object({
    harness: z.enum(previewHarnesses),
    event,
    agentId: z.string(),
    project: z.string().nullable(),
    projectName: z.string().nullable(),
    /** Checked out in the folder of the call. */
    branch: z.string().nullable(),
    /** Null if the call names none; the text then has a key of the same length. */
    sessionKey: z.string().nullable(),
    /** Exactly what the agent would get; empty if it gets nothing. */
    text: z.string(),
    tokens: z.int(),
    /** The budget; for a prompt it limits facts only, at four characters a token. */
    maxTokens: z.int(),
    /** Why the text is empty, or when it arrives. */
    note: z.string().optional(),
    parts: z.array(part),
    groups: z.array(group),
    /** Memories that the session has already. */
    shownBefore: z.int(),
    /** With `diff`; null if no start is recorded. */
    difference: difference.nullable().optional(),
  }),
})
export type PreviewBody = z.infer<(typeof previewContext)['body']>
export type ContextPreview = z.infer<(typeof previewContext)['response']>

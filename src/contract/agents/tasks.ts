import { z } from 'zod'
import { endpoint, eventStream } from '../ground/endpoint.js'
import { id, name, queryInt } from '../ground/fields.js'
import { taskHarness } from '../ground/wire-names.js'
import { skillName } from './skill-names.js'

/** Programs that a task may start: Claude Code, Codex and OpenCode (tasks.md 4.8). */
export const taskHarnesses = [taskHarness.claudeCode, taskHarness.codex, taskHarness.openCode] as const
export type TaskHarness = (typeof taskHarnesses)[number]

/**
 * UTF-16 units of a prompt: it is one argument of a program, of which Linux takes 128 KiB, and a unit may become three
 * bytes.
 */
const maxPrompt = 32_768
/** Tasks that there may be at a time (tasks.md 8). */
export const maxTasks = 2000
/** UTF-16 units of the output that is kept of a run (tasks.md 8). */
export const maxRunOutput = 1_048_576

/** How a run stands (tasks.md 3.4). */
export const runStatuses = ['pending', 'running', 'completed', 'failed', 'timeout'] as const
export type RunStatus = (typeof runStatuses)[number]

/** What started a run: its time, a person, or a time that was missed (tasks.md#missed-times). */
export const runTriggers = ['schedule', 'manual', 'catch-up'] as const
export type RunTrigger = (typeof runTriggers)[number]

/** `inject`: its SKILL.md stands before the prompt. `slash`: the prompt calls it by its name, which Claude Code alone knows. */
export const skillModes = ['inject', 'slash'] as const

const taskSkill = z.object({ name: z.string(), mode: z.enum(skillModes) })
export type TaskSkill = z.infer<typeof taskSkill>

const task = z.object({
  id: z.string(),
  name: z.string(),
  prompt: z.string(),
  cronExpression: z.string(),
  harness: z.enum(taskHarnesses),
  /** Folder that it runs in; null is the workspace. */
  workingDirectory: z.string().nullable(),
  skill: taskSkill.nullable(),
  enabled: z.boolean(),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** When its newest run began. */
  lastRunAt: z.string().nullable(),
  /** Null while it is disabled. */
  nextRunAt: z.string().nullable(),
  lastRunStatus: z.enum(runStatuses).nullable(),
})
export type Task = z.infer<typeof task>

const run = z.object({
  id: z.string(),
  taskId: z.string(),
  trigger: z.enum(runTriggers),
  status: z.enum(runStatuses),
  /** Of the program; null while it runs, and for one that was not started. */
  exitCode: z.int().nullable(),
  /** What the program wrote so far, its beginning and its end. */
  output: z.string(),
  /** The middle is left out. */
  outputTruncated: z.boolean(),
  /** Why it failed. */
  error: z.string().nullable(),
  createdAt: z.string(),
  startedAt: z.string().nullable(),
  completedAt: z.string().nullable(),
})
export type TaskRun = z.infer<typeof run>

/** A run without what it wrote. */
const toldRun = run.omit({ output: true, outputTruncated: true })
export type ToldRun = z.infer<typeof toldRun>

/** A name that stands in tables of a terminal. */
const taskName = name.regex(/^\P{Cc}+$/u, 'must hold no control character')

const prompt = z
  .string({ error: issue => (issue.input === undefined ? 'prompt is required' : undefined) })
  .max(maxPrompt)
  .refine(text => text.trim() !== '', 'prompt is required')

const skill = z
  .union([skillName, z.object({ name: skillName, mode: z.enum(skillModes).default('inject') })], {
    error: 'must be the name of an installed skill, or { "name": …, "mode": "inject" | "slash" }',
  })
  .transform(given => (typeof given === 'string' ? { name: given, mode: 'inject' as const } : given))
  .nullish()

const fields = {
  name: taskName,
  prompt,
  /** Minute, hour, day of the month, month, day of the week. */
  cronExpression: z.string().trim().min(1).max(500),
  harness: z.enum(taskHarnesses),
  /** Absolute. */
  workingDirectory: z.string().min(1).max(4096).nullish(),
  skill,
  enabled: z.boolean(),
}

const params = z.object({ id })
const reading = { permission: 'diagnostics', mutates: false } as const
// Starts programs and writes no memory: goes on while mutations are frozen (rules.md#kill-switch).
const changing = { permission: 'admin', mutates: false } as const

export const createTask = endpoint({
  method: 'POST',
  path: '/api/tasks',
  summary: 'Have a prompt given to a coding agent by a schedule',
  ...changing,
  body: z.object({ ...fields, enabled: fields.enabled.default(true) }),
  success: 201,
  response: z.object({ task }),
})
export type NewTask = z.infer<typeof createTask.body>

export const listTasks = endpoint({
  method: 'GET',
  path: '/api/tasks',
  summary: 'Scheduled tasks, oldest first',
  ...reading,
  response: z.object({ tasks: z.array(task), count: z.int() }),
})

export const getTask = endpoint({
  method: 'GET',
  path: '/api/tasks/:id',
  summary: 'One task with its 20 newest runs',
  ...reading,
  params,
  response: z.object({ task, runs: z.array(run) }),
})

export const changeTask = endpoint({
  method: 'PATCH',
  path: '/api/tasks/:id',
  summary: 'Change a task, or switch it on and off; a run that is under way goes on as it began',
  ...changing,
  params,
  body: z
    .object(fields)
    .partial()
    .refine(
      body => Object.values(body).some(value => value !== undefined),
      'names nothing to change: give name, prompt, cronExpression, harness, workingDirectory, skill or enabled',
    ),
  response: z.object({ task }),
})
export type TaskChange = z.infer<typeof changeTask.body>

export const removeTask = endpoint({
  method: 'DELETE',
  path: '/api/tasks/:id',
  summary: 'Remove a task with its runs; one that is under way is ended',
  ...changing,
  params,
  response: z.object({ success: z.literal(true) }),
})

export const runTask = endpoint({
  method: 'POST',
  path: '/api/tasks/:id/run',
  summary: 'Run a task now, also one that is disabled',
  ...changing,
  bucket: 'admin',
  params,
  success: 202,
  /** `pending`: as many tasks run as may. */
  response: z.object({ runId: z.string(), status: z.enum(['pending', 'running']) }),
})

export const cancelTask = endpoint({
  method: 'POST',
  path: '/api/tasks/:id/cancel',
  summary: 'End the run of a task that is under way, or waits; answered when it has ended',
  ...changing,
  bucket: 'admin',
  params,
  /** The run as it ended. */
  response: z.object({ run: toldRun }),
})

export const listTaskRuns = endpoint({
  method: 'GET',
  path: '/api/tasks/:id/runs',
  summary: 'Runs of a task, newest first',
  ...reading,
  params,
  query: z.object({
    limit: queryInt({ min: 1, max: 100 }).default(20),
    offset: queryInt({ min: 0, max: 1_000_000 }).default(0),
  }),
  response: z.object({ runs: z.array(run), total: z.int(), limit: z.int(), offset: z.int() }),
})
export type RunsQuery = z.infer<typeof listTaskRuns.query>

/**
 * The events of a task by their names, each with its data: `connected` first, then what runs now from its beginning, then
 * what comes (tasks.md 4.8). `offset` counts the UTF-16 units of the output before `data`: where it is higher than what
 * came so far, the reader was too slow and the middle is left out.
 */
export const taskEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('connected'), taskId: z.string() }),
  z.object({ type: z.literal('run-started'), run: toldRun }),
  z.object({ type: z.literal('run-output'), runId: z.string(), offset: z.int(), data: z.string() }),
  z.object({ type: z.literal('run-completed'), run: toldRun }),
])
export type TaskEvent = z.infer<typeof taskEvent>

export const streamTask = endpoint({
  method: 'GET',
  path: '/api/tasks/:id/stream',
  summary: 'What a task does, as it happens: server-sent events',
  ...reading,
  params,
  response: taskEvent,
  contentType: eventStream,
})

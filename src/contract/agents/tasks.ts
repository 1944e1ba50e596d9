import { z } from 'zod'
import { endpoint, eventStream } from '../ground/endpoint.js'
import { id, name, queryInt } from '../ground/fields.js'
import { taskHarness } from '../ground/wire-names.js'
import { skillName } from './skill-names.js'

/** Harnesses that a task may start (tasks.md 4.8). */
export const taskHarnesses = Object.values(taskHarness)
export type TaskHarness = (typeof taskHarnesses)[number]

/** UTF-16 units of a prompt. */
const maxPrompt = 32_768
/** Maximum number of tasks (tasks.md 8). */
export const maxTasks = 2000
/** UTF-16 units of output kept per run (tasks.md 8). */
export const maxRunOutput = 1_048_576

/** States of a run (tasks.md 3.4). */
export const runStatuses = ['pending', 'running', 'completed', 'failed', 'timeout'] as const
export type RunStatus = (typeof runStatuses)[number]

/** The trigger of a run: its schedule, a user, or a missed time (tasks.md#missed-times). */
export const runTriggers = ['schedule', 'manual', 'catch-up'] as const

/**
 * `inject`: its SKILL.md precedes the prompt. `slash`: the prompt calls it by name, which only Claude Code
 * supports.
 */
export const skillModes = ['inject', 'slash'] as const

const taskSkill = z.object({ name: z.string(), mode: z.enum(skillModes) })
export type TaskSkill = z.infer<typeof taskSkill>

/**
 * Answers to an agent that asks over ACP: yes to everything, to reading and searching alone, or to nothing.
 * One that does not ask follows its own settings.
 */
export const acpPermissions = ['all', 'read', 'none'] as const
export type AcpPermissions = (typeof acpPermissions)[number]

const taskAcp = z.object({ command: z.string(), permissions: z.enum(acpPermissions) })
export type TaskAcp = z.infer<typeof taskAcp>

const task = z.object({
  id: z.string(),
  name: z.string(),
  prompt: z.string(),
  cronExpression: z.string(),
  harness: z.enum(taskHarnesses),
  /** Folder in which it runs; null is the workspace. */
  workingDirectory: z.string().nullable(),
  skill: taskSkill.nullable(),
  /** The agent of harness `acp`; null for the others. */
  acp: taskAcp.nullable(),
  enabled: z.boolean(),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** Start of its newest run. */
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
  /** Exit code of the program; null while it runs, and if it was not started. */
  exitCode: z.int().nullable(),
  /** Output so far, its beginning and its end. */
  output: z.string(),
  /** The middle of the output is omitted. */
  outputTruncated: z.boolean(),
  /** The reason of a failure. */
  error: z.string().nullable(),
  createdAt: z.string(),
  startedAt: z.string().nullable(),
  completedAt: z.string().nullable(),
})
export type TaskRun = z.infer<typeof run>

/** A run without its output. */
const runSummary = run.omit({ output: true, outputTruncated: true })
export type TaskRunSummary = z.infer<typeof runSummary>

/** A name that fits into terminal tables. */
const taskName = name.regex(/^\P{Cc}+$/u, 'must not contain control characters')

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
  /** An absolute path. */
  workingDirectory: z.string().min(1).max(4096).nullish(),
  skill,
  /** Starts the agent of harness `acp` without a shell, such as `gemini --experimental-acp`. */
  acp: z
    .object({
      command: z
        .string()
        .trim()
        .min(1)
        .max(2000)
        .regex(/^\P{Cc}+$/u, 'must not contain control characters'),
      permissions: z.enum(acpPermissions).default('all'),
    })
    .nullish(),
  enabled: z.boolean(),
}

const params = z.object({ id })
const reading = { permission: 'diagnostics', mutates: false } as const
// Starts programs but does not write memories, so it works while mutations are frozen (rules.md#kill-switch).
const changing = { permission: 'admin', mutates: false } as const

export const createTask = endpoint({
  method: 'POST',
  path: '/api/tasks',
  summary: 'Create a task that runs a prompt in a coding agent on a schedule',
  runsPrograms: true,
  ...changing,
  body: z.object({ ...fields, enabled: fields.enabled.default(true) }),
  success: 201,
  response: z.object({ task }),
})
export type NewTask = z.infer<typeof createTask.body>

export const listTasks = endpoint({
  method: 'GET',
  path: '/api/tasks',
  summary: 'List tasks, oldest first',
  ...reading,
  response: z.object({ tasks: z.array(task), count: z.int() }),
})

export const getTask = endpoint({
  method: 'GET',
  path: '/api/tasks/:id',
  summary: 'Get a task with its 20 newest runs',
  ...reading,
  params,
  shortIds: { 'params.id': ['task'] },
  response: z.object({ task, runs: z.array(run) }),
})

export const changeTask = endpoint({
  method: 'PATCH',
  path: '/api/tasks/:id',
  summary: 'Change, enable or disable a task; a current run is not affected',
  runsPrograms: true,
  ...changing,
  params,
  shortIds: { 'params.id': ['task'] },
  body: z
    .object(fields)
    .partial()
    .refine(
      body => Object.values(body).some(value => value !== undefined),
      'changes nothing: give name, prompt, cronExpression, harness, workingDirectory, skill, acp or enabled',
    ),
  response: z.object({ task }),
})
export type TaskChange = z.infer<typeof changeTask.body>

export const removeTask = endpoint({
  method: 'DELETE',
  path: '/api/tasks/:id',
  summary: 'Remove a task with its runs; a current run is stopped',
  ...changing,
  params,
  shortIds: { 'params.id': ['task'] },
  response: z.object({ success: z.literal(true) }),
})

export const runTask = endpoint({
  method: 'POST',
  path: '/api/tasks/:id/run',
  summary: 'Run a task now, even if it is disabled',
  runsPrograms: true,
  ...changing,
  bucket: 'admin',
  params,
  shortIds: { 'params.id': ['task'] },
  success: 202,
  /** `pending`: the maximum number of tasks is running. */
  response: z.object({ runId: z.string(), status: z.enum(['pending', 'running']) }),
})

export const cancelTask = endpoint({
  method: 'POST',
  path: '/api/tasks/:id/cancel',
  summary: 'Stop the current or queued run of a task; replies once it has stopped',
  ...changing,
  bucket: 'admin',
  params,
  shortIds: { 'params.id': ['task'] },
  /** The run in its final state. */
  response: z.object({ run: runSummary }),
})

export const listTaskRuns = endpoint({
  method: 'GET',
  path: '/api/tasks/:id/runs',
  summary: 'List the runs of a task, newest first',
  ...reading,
  params,
  shortIds: { 'params.id': ['task'] },
  query: z.object({
    limit: queryInt({ min: 1, max: 100 }).default(20),
    offset: queryInt({ min: 0, max: 1_000_000 }).default(0),
  }),
  response: z.object({ runs: z.array(run), total: z.int(), limit: z.int(), offset: z.int() }),
})
export type RunsQuery = z.infer<typeof listTaskRuns.query>

/**
 * Events of a task's stream: `connected` first, then the current run from its beginning, then new events
 * (tasks.md 4.8). `offset` counts the UTF-16 units of output before `data`; a gap means that the reader was
 * too slow and output was omitted.
 */
export const taskEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('connected'), taskId: z.string() }),
  z.object({ type: z.literal('run-started'), run: runSummary }),
  z.object({ type: z.literal('run-output'), runId: z.string(), offset: z.int(), data: z.string() }),
  z.object({ type: z.literal('run-completed'), run: runSummary }),
])
export type TaskEvent = z.infer<typeof taskEvent>

export const streamTask = endpoint({
  method: 'GET',
  path: '/api/tasks/:id/stream',
  summary: 'Follow the runs of a task live (server-sent events)',
  ...reading,
  params,
  shortIds: { 'params.id': ['task'] },
  response: taskEvent,
  contentType: eventStream,
})

import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { id, name, projectName, queryBoolean } from '../ground/fields.js'

/** A folder of a project on this machine. */
const place = z.object({
  path: z.string(),
  /** True when a person assigned the folder, whatever its repository says. */
  fixed: z.boolean(),
  seenAt: z.string(),
})

/** A join, split, move or rename, newest first. */
const projectChange = z.object({
  id: z.string(),
  kind: z.enum(['join', 'split', 'move', 'rename']),
  /** One sentence that describes the change. */
  text: z.string(),
  at: z.string(),
  by: z.string(),
  undoneAt: z.string().nullable(),
})

const project = z.object({
  /** Normalized remote, else `git:` and the first commit, else a real path, else a name. */
  key: z.string(),
  name: z.string(),
  /** Every key that rows of the project may have, its own included. */
  keys: z.array(z.string()),
  places: z.array(place),
  memories: z.int(),
  sessions: z.int(),
  createdAt: z.string(),
  usedAt: z.string(),
})
export type Project = z.infer<typeof project>

/** Keys and folders that a join moves. */
const projectJoin = z.object({
  /** Id of the change, for its undo; null for a dry run. */
  id: z.string().nullable(),
  from: z.object({ key: z.string(), name: z.string() }),
  into: z.object({ key: z.string(), name: z.string() }),
  keys: z.array(z.string()),
  places: z.array(z.string()),
  memories: z.int(),
  sessions: z.int(),
})
export type ProjectJoin = z.infer<typeof projectJoin>

const dryRun = z.boolean().default(false)

export const listProjects = endpoint({
  method: 'GET',
  path: '/api/projects',
  keepsProject: true,
  summary: 'List projects with keys, places and counts, last used first',
  permission: 'recall',
  mutates: false,
  query: z.object({
    /** Only the project with this key, name, path or remote. */
    project: projectName.optional(),
    /** Also returns the changes of the project that `project` names. */
    history: queryBoolean.default(false),
  }),
  response: z.object({
    projects: z.array(project),
    count: z.int(),
    history: z.array(projectChange).optional(),
  }),
})

export const changeProject = endpoint({
  method: 'PATCH',
  path: '/api/projects',
  keepsProject: true,
  summary: 'Rename a project, or move a folder of it',
  permission: 'admin',
  mutates: true,
  body: z
    .object({
      project: projectName.optional(),
      name: name.optional(),
      /** A folder that was moved or renamed. */
      move: z.object({ from: projectName, to: projectName }).optional(),
      dryRun,
    })
    .refine(
      ({ name: wanted, move }) => (wanted === undefined) !== (move === undefined),
      'give either name or move',
    )
    .refine(({ project: one, move }) => (one === undefined) !== (move === undefined), {
      path: ['project'],
      error: 'is required with name, and not allowed with move',
    }),
  response: z.object({ project, dryRun: z.boolean() }),
})

export const joinProjects = endpoint({
  method: 'POST',
  path: '/api/projects/join',
  keepsProject: true,
  summary: 'Make two projects one; the change can be undone',
  permission: 'admin',
  mutates: true,
  body: z.object({ from: projectName, into: projectName, dryRun }),
  response: projectJoin.extend({ dryRun: z.boolean() }),
})

export const splitProject = endpoint({
  method: 'POST',
  path: '/api/projects/split',
  keepsProject: true,
  summary: 'Make one key or folder of a project a project of its own',
  permission: 'admin',
  mutates: true,
  body: z.object({ project: projectName, part: projectName, name: name.optional(), dryRun }),
  response: z.object({ project, dryRun: z.boolean() }),
})

export const undoProjectChange = endpoint({
  method: 'POST',
  path: '/api/projects/undo',
  keepsProject: true,
  summary: 'Undo a join or split of projects',
  permission: 'admin',
  mutates: true,
  shortIds: { 'body.id': ['project change'] },
  body: z.object({ id }),
  response: z.object({ project }),
})

export const adoptProjects = endpoint({
  method: 'POST',
  path: '/api/projects/adopt',
  keepsProject: true,
  summary: 'Join projects saved under a name or path to the repository they belong to',
  permission: 'admin',
  mutates: true,
  body: z.object({ dryRun }),
  response: z.object({
    joins: z.array(projectJoin),
    /** Names that several projects could mean; nothing is joined for these. */
    unclear: z.array(z.object({ project: z.string(), candidates: z.array(z.string()) })),
    dryRun: z.boolean(),
  }),
})

export const forgetProject = endpoint({
  method: 'DELETE',
  path: '/api/projects',
  keepsProject: true,
  summary: 'Remove a project without memories from the list',
  permission: 'admin',
  mutates: true,
  body: z.object({ project: projectName, dryRun }),
  response: z.object({ project, dryRun: z.boolean() }),
})

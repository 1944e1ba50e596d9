import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { clampedQueryInt, folderHeader, projectName, queryBoolean, staysAt } from '../ground/fields.js'
import { tieKinds } from '../ground/wire-names.js'
import { agentQuery } from '../memory/record.js'
import { blastDirections, codeCertainties, codeJobStates, codePhases, codeRelations } from './code-words.js'

/** A folder on this machine; by default the project of the caller's session. */
const project = projectName.optional()
const projectQuery = z.object({ project })
/** `name`, `Class.method`, or `path:name` to choose one of several. */
const symbolName = z
  .string({ error: ({ input }) => (input === undefined ? 'symbol is required' : undefined) })
  .trim()
  .min(1, 'symbol is required')
  .max(500)

const reading = {
  method: 'GET',
  permission: 'recall',
  plugin: { id: 'service.codeindex', capability: 'code:read' },
  mutates: false,
  headers: folderHeader,
} as const

const writing = {
  method: 'POST',
  permission: 'modify',
  plugin: { id: 'service.codeindex', capability: 'code:write' },
  bucket: 'modify',
  headers: folderHeader,
} as const

const place = z.object({ path: z.string(), line: z.int() })

const codeSymbol = place.extend({
  name: z.string(),
  /** With the names of the enclosing symbols. */
  qualified: z.string(),
  kind: z.string(),
  endLine: z.int(),
  language: z.string(),
  signature: z.string().nullable(),
  doc: z.string().nullable(),
})
export type CodeSymbolRecord = z.infer<typeof codeSymbol>

const certainty = z.enum(codeCertainties)
const relation = z.enum(codeRelations)

/** The symbol at the other end of an edge; the line is that of the use. */
const neighbour = z.object({
  symbol: codeSymbol,
  relation,
  certainty,
  /** Position of the use: for a caller in its own file, for a callee in that of the requested symbol. */
  at: place,
})
export type CodeNeighbour = z.infer<typeof neighbour>

const codeJob = z.object({
  id: z.string(),
  state: z.enum(codeJobStates),
  full: z.boolean(),
  /** The present phase, with its processed and total files. */
  phase: z.enum(codePhases).nullable(),
  done: z.int(),
  total: z.int(),
  /** Number of files by result; null before the end. */
  result: z
    .object({ read: z.int(), unchanged: z.int(), skipped: z.int(), failed: z.int(), removed: z.int() })
    .nullable(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  error: z.string().nullable(),
})
export type CodeJob = z.infer<typeof codeJob>

export const codeStatus = endpoint({
  ...reading,
  path: '/api/code/status',
  keepsProject: true,
  summary: 'Get the code index of a project and its progress',
  query: projectQuery,
  response: z.object({
    project: z.string(),
    indexed: z.boolean(),
    indexedAt: z.string().nullable(),
    files: z.int(),
    failed: z.int(),
    skipped: z.int(),
    symbols: z.int(),
    edges: z.int(),
    ambiguousEdges: z.int(),
    bytes: z.int(),
    languages: z.array(z.object({ language: z.string(), parser: z.string(), files: z.int() })),
    /** True while file changes are watched. */
    watching: z.boolean(),
    job: codeJob.nullable(),
    stays: staysAt.optional(),
  }),
})

export const codeSearch = endpoint({
  ...reading,
  path: '/api/code/search',
  keepsProject: true,
  summary: 'Search symbols by name, signature, documentation or path',
  query: projectQuery.extend({
    query: z
      .string({ error: ({ input }) => (input === undefined ? 'query is required' : undefined) })
      .trim()
      .min(1, 'query is required')
      .max(500),
    top: clampedQueryInt({ min: 1, max: 100 }).default(10),
    /** Part of the file's path. */
    file: z.string().trim().min(1).max(1000).optional(),
    debug: queryBoolean.default(false),
  }),
  response: z.object({
    project: z.string(),
    query: z.string(),
    results: z.array(
      codeSymbol.extend({
        score: z.number(),
        /** Components of the score, on request. */
        why: z
          .object({ match: z.string(), name: z.number(), words: z.number(), centrality: z.number() })
          .optional(),
      }),
    ),
    count: z.int(),
  }),
})

export const codeContext = endpoint({
  ...reading,
  path: '/api/code/context',
  keepsProject: true,
  summary: 'Get the definition of a symbol, its uses and its dependencies',
  query: projectQuery.extend({ symbol: symbolName }),
  response: z.object({
    project: z.string(),
    symbol: z.string(),
    /** Number of definitions; only the first few have details. */
    total: z.int(),
    definitions: z.array(
      z.object({
        symbol: codeSymbol,
        members: z.array(codeSymbol),
        callers: z.array(neighbour),
        callees: z.array(neighbour),
        importedBy: z.array(place.extend({ certainty })),
        /** Omitted entries of each list. */
        omitted: z.object({ members: z.int(), callers: z.int(), callees: z.int(), importedBy: z.int() }),
      }),
    ),
  }),
})

export const codeBlast = endpoint({
  ...reading,
  path: '/api/code/blast',
  keepsProject: true,
  summary: 'Get the symbols that a change would affect, or that the symbol depends on',
  query: projectQuery.extend({
    symbol: symbolName,
    depth: clampedQueryInt({ min: 1, max: 10 }).default(3),
    direction: z
      .enum(blastDirections, { error: `must be one of ${blastDirections.join(', ')}` })
      .default('backward'),
  }),
  response: z.object({
    project: z.string(),
    symbol: z.string(),
    direction: z.enum(blastDirections),
    depth: z.int(),
    /** The requested symbols: one, or all with the name. */
    roots: z.array(codeSymbol),
    /** A tree, parents before children. */
    nodes: z.array(
      z.object({
        id: z.int(),
        /** Id of the parent node; null on the first level, which has only `root`. */
        parent: z.int().nullable(),
        root: z.int(),
        direction: z.enum(['forward', 'backward']),
        depth: z.int(),
        symbol: codeSymbol,
        relation,
        /** Confidence of this step, and of the weakest step from the root. */
        certainty,
        way: certainty,
        at: place,
        /** Already in the tree; its children are shown there. */
        again: z.literal(true).optional(),
      }),
    ),
    files: z.array(z.string()),
    /** Number of symbols by the confidence of their path. */
    counts: z.object({ certain: z.int(), likely: z.int(), ambiguous: z.int() }),
    /** There are more results. */
    truncated: z.boolean(),
  }),
})

export const codeConstants = endpoint({
  ...reading,
  path: '/api/code/constants',
  keepsProject: true,
  summary: 'List named constants of a project with their values',
  query: projectQuery.extend({
    /** Part of a name, a value or a path. */
    query: z.string().trim().min(1).max(500).optional(),
    top: clampedQueryInt({ min: 1, max: 500 }).default(100),
  }),
  response: z.object({
    project: z.string(),
    constants: z.array(place.extend({ name: z.string(), value: z.string() })),
    total: z.int(),
  }),
})

export const codeBriefing = endpoint({
  ...reading,
  path: '/api/code/briefing',
  keepsProject: true,
  summary: 'Get an overview of a project: modules, entry points, most used code',
  query: projectQuery.extend({ compact: queryBoolean.default(false) }),
  response: z.object({
    project: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    files: z.int(),
    symbols: z.int(),
    languages: z.array(z.object({ language: z.string(), files: z.int() })),
    modules: z.array(z.object({ path: z.string(), files: z.int(), symbols: z.int(), usedBy: z.int() })),
    entryPoints: z.array(z.object({ path: z.string(), why: z.string() })),
    central: z.array(codeSymbol.extend({ usedBy: z.int() })),
    /** The same as text for a model. */
    text: z.string(),
  }),
})

export const codeDoctor = endpoint({
  ...reading,
  path: '/api/code/doctor',
  keepsProject: true,
  summary: 'Get unreadable and changed files, and the parser of each language',
  query: projectQuery,
  response: z.object({
    project: z.string(),
    ok: z.boolean(),
    failed: z.array(z.object({ path: z.string(), reason: z.string() })),
    failedTotal: z.int(),
    skipped: z.array(z.object({ reason: z.string(), files: z.int() })),
    stale: z.array(z.object({ path: z.string(), change: z.enum(['changed', 'gone']) })),
    staleTotal: z.int(),
    languages: z.array(z.object({ language: z.string(), parser: z.string(), files: z.int() })),
    /** Problems of the index itself. */
    problems: z.array(z.string()),
  }),
})

export const codeMoved = endpoint({
  ...reading,
  path: '/api/code/moved',
  keepsProject: true,
  summary: 'List memories that name changed or deleted code',
  query: agentQuery.extend({ limit: clampedQueryInt({ min: 1, max: 500 }).default(50) }),
  response: z.object({
    memories: z.array(
      z.object({
        id: z.string(),
        /** Beginning of the text. */
        content: z.string(),
        project: z.string(),
        moved: z.array(
          z.object({
            kind: z.enum(tieKinds),
            target: z.string(),
            path: z.string().nullable(),
            state: z.enum(['changed', 'gone']),
            since: z.string(),
          }),
        ),
      }),
    ),
    count: z.int(),
  }),
})

export const codeIndex = endpoint({
  ...writing,
  path: '/api/code/index',
  keepsProject: true,
  summary: 'Index the code of a project, or its changes, in the background',
  mutates: true,
  body: z.object({
    project,
    /** Reads every file again. */
    full: z.boolean().default(false),
    /** The user chose this folder, even without a session there. */
    named: z.boolean().default(false),
  }),
  success: 202,
  response: z.object({ jobId: z.string(), project: z.string() }),
})

export const codeCancel = endpoint({
  ...writing,
  path: '/api/code/cancel',
  keepsProject: true,
  summary: 'Stop the indexing of a project and keep its results',
  mutates: false,
  body: z.object({ project }),
  response: z.object({ project: z.string(), cancelled: z.boolean() }),
})

export const codeClear = endpoint({
  ...writing,
  path: '/api/code/clear',
  keepsProject: true,
  summary: 'Delete the code index of a project; its code is not touched',
  mutates: true,
  body: z.object({ project, confirm: z.boolean().optional() }),
  response: z.object({ project: z.string(), cleared: z.boolean() }),
})

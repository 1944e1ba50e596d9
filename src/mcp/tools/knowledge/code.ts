import * as contract from '../../../contract/mcp/knowledge.js'
import { type Tool, tool } from '../../tool/tool.js'
import type { Remedies } from '../../tool/tool-failure.js'
import { blastText, constantsText, contextText, doctorText, searchText, statusText } from './code-text.js'

const remedies: Remedies = {
  plugin_capability_denied: 'Search files as usual; the user can enable it with the command above.',
  not_indexed: 'Search files as usual; suggest `memory code index` to the user.',
  forbidden_project: 'Ask the user to run `memory code index` in the folder.',
  not_found: 'Find it with service_code_search.',
}

const common = { tier: 'extra', plugin: 'service.codeindex', effect: 'reads', remedies } as const
const read = { ...common, output: contract.codeOutput } as const

const search = tool({
  ...read,
  name: 'service_code_search',
  title: 'Search code',
  description: 'Find symbols of the project by keyword: functions, classes, types, constants.',
  input: contract.codeSearchInput,
  run: async (call, query) => replyWith(await call('GET /api/code/search', { query }), searchText),
})

const context = tool({
  ...read,
  name: 'service_code_context',
  title: 'Context of a symbol',
  description: 'Show the definition, callers and callees of a symbol. Only certain edges are facts.',
  input: contract.codeContextInput,
  run: async (call, query) => replyWith(await call('GET /api/code/context', { query }), contextText),
})

const blast = tool({
  ...read,
  name: 'service_code_blast',
  title: 'Impact of a change',
  description: 'Use before changing a symbol: lists its dependents (backward) or dependencies (forward).',
  input: contract.codeBlastInput,
  run: async (call, query) => replyWith(await call('GET /api/code/blast', { query }), blastText),
})

const status = tool({
  ...read,
  name: 'service_code_status',
  title: 'Status of the code index',
  description: 'Show if the project is indexed, how many files, and since when.',
  input: contract.codeProjectInput,
  run: async (call, query) => replyWith(await call('GET /api/code/status', { query }), statusText),
})

const doctor = tool({
  ...read,
  name: 'service_code_doctor',
  title: 'Problems of the code index',
  description: 'List unreadable files, files changed since indexing, and the parser of each language.',
  input: contract.codeProjectInput,
  run: async (call, query) => replyWith(await call('GET /api/code/doctor', { query }), doctorText),
})

const constants = tool({
  ...read,
  name: 'service_code_constants',
  title: 'Constants of the code',
  description: 'List named constants of the project with values and locations.',
  input: contract.codeProjectInput,
  run: async (call, query) => replyWith(await call('GET /api/code/constants', { query }), constantsText),
})

const briefing = tool({
  ...read,
  name: 'service_code_briefing',
  title: 'Briefing on the code',
  description: 'Overview of the project: modules, entry points, central symbols. For the start of a session.',
  input: contract.codeBriefingInput,
  run: async (call, query) => replyWith(await call('GET /api/code/briefing', { query }), ({ text }) => text),
})

const clear = tool({
  ...read,
  name: 'service_code_clear',
  title: 'Delete the code index',
  description: 'Delete the index of the project, without a backup. Only if the user asks.',
  effect: 'removes',
  input: contract.codeClearInput,
  run: async (call, body) =>
    replyWith(await call('POST /api/code/clear', { body }), ({ project, cleared }) =>
      cleared ? `The index of ${project} is deleted.` : `${project} had no index.`,
    ),
})

function replyWith<T extends { project: string }>(data: T, textOf: (data: T) => string) {
  return { text: textOf(data), data }
}

/** The code-index tools (mcp.md 4.9). */
export const codeTools: readonly Tool[] = [search, context, blast, status, doctor, constants, briefing, clear]

import * as contract from '../../../contract/mcp/knowledge.js'
import { type Tool, tool } from '../../tool/tool.js'
import type { Remedies } from '../../tool/tool-failure.js'
import { blastText, constantsText, contextText, doctorText, searchText, statusText } from './code-text.js'

const remedies: Remedies = {
  plugin_capability_denied: 'Search files as usual; the user switches it on with the command above.',
  not_indexed: 'Search files as usual; tell the user of `memory code index`.',
  forbidden_project: 'Ask the user to run `memory code index` in the folder.',
  not_found: 'Look for it with service_code_search.',
}

const common = { tier: 'extra', plugin: 'service.codeindex', effect: 'reads', remedies } as const
const read = { ...common, output: contract.codeOutput } as const

const search = tool({
  ...read,
  name: 'service_code_search',
  title: 'Search code',
  description: 'Find symbols of the project by words: functions, classes, types, constants.',
  input: contract.codeSearchInput,
  run: async (call, query) => told(await call('GET /api/code/search', { query }), searchText),
})

const context = tool({
  ...read,
  name: 'service_code_context',
  title: 'Context of a symbol',
  description: 'Where a symbol is defined, who calls it, what it calls. Only certain edges are facts.',
  input: contract.codeContextInput,
  run: async (call, query) => told(await call('GET /api/code/context', { query }), contextText),
})

const blast = tool({
  ...read,
  name: 'service_code_blast',
  title: 'What a change reaches',
  description: 'Before changing a symbol: what depends on it (backward), or what it depends on (forward).',
  input: contract.codeBlastInput,
  run: async (call, query) => told(await call('GET /api/code/blast', { query }), blastText),
})

const status = tool({
  ...read,
  name: 'service_code_status',
  title: 'State of the code index',
  description: 'Whether the project is indexed, how much of it, and since when.',
  input: contract.codeProjectInput,
  run: async (call, query) => told(await call('GET /api/code/status', { query }), statusText),
})

const doctor = tool({
  ...read,
  name: 'service_code_doctor',
  title: 'Faults of the code index',
  description: 'Files that could not be read or changed since, and who reads which language.',
  input: contract.codeProjectInput,
  run: async (call, query) => told(await call('GET /api/code/doctor', { query }), doctorText),
})

const constants = tool({
  ...read,
  name: 'service_code_constants',
  title: 'Constants of the code',
  description: 'Named constants of the project with their values and places.',
  input: contract.codeProjectInput,
  run: async (call, query) => told(await call('GET /api/code/constants', { query }), constantsText),
})

const briefing = tool({
  ...read,
  name: 'service_code_briefing',
  title: 'Briefing on the code',
  description: 'What the project is: modules, entry points, central symbols. For the start of a session.',
  input: contract.codeBriefingInput,
  run: async (call, query) => told(await call('GET /api/code/briefing', { query }), ({ text }) => text),
})

const clear = tool({
  ...read,
  name: 'service_code_clear',
  title: 'Delete the code index',
  description: 'Deletes the index of the project, without a backup. Only if the user asks for it.',
  effect: 'removes',
  input: contract.codeClearInput,
  run: async (call, body) =>
    told(await call('POST /api/code/clear', { body }), ({ project, cleared }) =>
      cleared ? `The index of ${project} is deleted.` : `${project} had no index.`,
    ),
})

function told<T extends { project: string }>(data: T, textOf: (data: T) => string) {
  return { text: textOf(data), data }
}

/** The code-index tools (mcp.md 4.9). */
export const codeTools: readonly Tool[] = [search, context, blast, status, doctor, constants, briefing, clear]

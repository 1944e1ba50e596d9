/** Second names of commands, as other programs call them. */
export const aliases: Readonly<Record<string, string>> = {
  add: 'remember',
  ls: 'list',
  rm: 'forget',
  delete: 'forget',
}

/** Second names of the last word of a command with a topic, such as `tasks ls`. */
export const verbAliases: Readonly<Record<string, readonly string[]>> = {
  ls: ['list'],
  rm: ['remove', 'delete'],
}

/** Names that keep working and are not listed any more, with the command that replaces them. */
export const replacedNames: Readonly<Record<string, string>> = {
  status: 'health',
  doctor: 'health',
  diagnostics: 'health',
  connectors: 'sources',
  harnesses: 'connect',
  documents: 'import',
  imports: 'import',
  synthesis: 'dream',
  supersede: 'edit',
  recover: 'undo',
  feedback: 'rate',
  lineage: 'history',
}

/** Commands that one needs most often, with their purpose in a few words. */
export const coreCommands: Readonly<Record<string, string>> = {
  setup: 'connect agents, import sessions and notes, step by step',
  remember: 'save something',
  recall: 'ask for it, also in other words',
  search: 'look through memories, sessions, notes and code',
  list: 'see what is saved here',
  get: 'open one memory, or anything else that search finds',
  edit: 'change the text, type, project or tags of a memory',
  forget: 'forget something; memory undo brings it back',
  undo: 'bring back what you forgot last',
  preview: 'see the text that your agent gets here',
  connect: 'connect a coding agent',
  health: 'check that everything works',
}

/** All other commands and topics by what one wants. */
export const commandGroups: Readonly<Record<string, readonly string[]>> = {
  Read: ['import', 'sources', 'code', 'export'],
  Know: ['about', 'review', 'dream', 'ontology'],
  Look: ['browse', 'ui', 'sessions', 'projects', 'history', 'timeline', 'stats', 'logs'],
  Judge: ['rate', 'replay', 'capture'],
  Agents: ['agents', 'messages', 'tasks', 'skills', 'plugins', 'disconnect', 'hook', 'mcp'],
  Keep: [
    'backup',
    'sync',
    'mirror',
    'storage',
    'key',
    'git',
    'secrets',
    'api-key',
    'auth',
    'login',
    'logout',
  ],
  Run: [
    'daemon',
    'config',
    'init',
    'embedding',
    'pipeline',
    'telemetry',
    'repair',
    'update',
    'completion',
    'demo',
  ],
}

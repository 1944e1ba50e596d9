/** Sessions that coding agents keep on a machine. */
export const logAdapters = [
  'claude-code',
  'codex',
  'copilot',
  'gemini',
  'vscode',
  'cursor',
  'qwen',
  'kimi',
  'pi',
  'oh-my-pi',
  'opencode',
  'cline',
  'hermes-agent',
  'openclaw',
  'grok',
  'kilo',
] as const
export type LogAdapter = (typeof logAdapters)[number]

/** Exported files with many conversations. */
export const exportAdapters = ['service-export', 'chatgpt-export', 'claude-export', 'gemini-takeout'] as const
export type ExportAdapter = (typeof exportAdapters)[number]

/** Adapters of transcript imports by name, each in version 1. Without schemas, for the command line. */
export const importAdapters = [...exportAdapters, ...logAdapters] as const
export type ImportAdapter = (typeof importAdapters)[number]

/** Programs whose memories are brought along (transfer.md#from-other-programs). */
export const memoryPrograms = [
  'claude-memory',
  'claude-md',
  'cursor-rules',
  'codex-memories',
  'mem0',
  'claude-mem',
  'basic-memory',
  'mcp-memory-service',
  'mempalace',
  'chatgpt-memory',
  'memory-json',
] as const
export type MemoryProgram = (typeof memoryPrograms)[number]

/** Logs that programs keep of their sessions, one a file. */
export const logAdapters = ['claude-code', 'codex', 'copilot', 'gemini'] as const
export type LogAdapter = (typeof logAdapters)[number]

/** Files that somebody had a program write, of many conversations. */
export const exportAdapters = ['service-export', 'chatgpt-export', 'claude-export', 'opencode'] as const
export type ExportAdapter = (typeof exportAdapters)[number]

/** What reads files of an import of transcripts, by the name of its form; each in version 1. Free of schemas, for the command line. */
export const importAdapters = [...exportAdapters, ...logAdapters] as const
export type ImportAdapter = (typeof importAdapters)[number]

/** What reads files of an import of transcripts, by the name of its form; each in version 1. Free of schemas, for the command line. */
export const importAdapters = [
  'service-export',
  'chatgpt-export',
  'claude-export',
  'claude-code',
  'codex',
  'gemini',
  'opencode',
] as const
export type ImportAdapter = (typeof importAdapters)[number]

import type { Memory, RecallOptions } from 'memory-service-client'

/** Settings that all adapters share. */
export interface AdapterOptions {
  /** Saves into this project, and recalls from it. */
  project?: string
  /** Memories that a prompt gets at most; 5 if absent. */
  limit?: number
  /** Gets a failure of the service, after which the agent goes on without memory. By default it is a warning. */
  onError?: (error: unknown) => void
}

/** A tool as any framework can describe it to a model. */
export interface MemoryTool {
  name: 'remember' | 'recall'
  description: string
  parameters: {
    type: 'object'
    properties: Record<string, { type: 'string'; description: string }>
    required: string[]
    additionalProperties: false
  }
  run: (input: unknown) => Promise<string>
}

/** Returns what a model should read for a prompt, or an empty text: a model answers without memory as well. */
export async function contextFor(
  memory: Memory,
  prompt: string,
  { onError = warn, ...options }: AdapterOptions & Pick<RecallOptions, 'sessionKey'> = {},
): Promise<string> {
  if (prompt.trim() === '') return ''
  try {
    return (await memory.context(prompt, options)).text
  } catch (error) {
    onError(error)
    return ''
  }
}

/** Reports a failure, after which the agent goes on. */
export function warn(error: unknown): void {
  console.warn(`memory-service: ${error instanceof Error ? error.message : String(error)}`)
}

/** Returns the tools that save and find memories. A failure is told to the model. */
export function toolsOf(memory: Memory, { project, limit = 5 }: AdapterOptions = {}): MemoryTool[] {
  return [
    memoryTool(
      'remember',
      'Save a lasting fact, decision, preference or rule as one self-contained sentence.',
      'content',
      'The sentence to save',
      async content => `Saved as ${(await memory.remember(content, { project })).id}.`,
    ),
    memoryTool(
      'recall',
      'Find what was saved in earlier sessions, by you or by other agents.',
      'query',
      'A question or a few words',
      async query => (await memory.context(query, { project, limit })).text || 'Nothing is known about it.',
    ),
  ]
}

function memoryTool(
  name: MemoryTool['name'],
  description: string,
  field: string,
  meaning: string,
  run: (value: string) => Promise<string>,
): MemoryTool {
  return {
    name,
    description,
    parameters: {
      type: 'object',
      properties: { [field]: { type: 'string', description: meaning } },
      required: [field],
      additionalProperties: false,
    },
    async run(input) {
      const value = (input as Record<string, unknown> | null)?.[field]
      if (typeof value !== 'string') return `The argument ${field} is missing.`
      try {
        return await run(value)
      } catch (error) {
        return `The memory failed: ${error instanceof Error ? error.message : String(error)}`
      }
    },
  }
}

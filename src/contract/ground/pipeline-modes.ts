/** Modes of the background work that derives memories and facts from conversations (knowledge.md#modes). */
export const pipelineModes = ['controlled-write', 'shadow', 'frozen', 'paused', 'disabled'] as const
export type PipelineMode = (typeof pipelineModes)[number]

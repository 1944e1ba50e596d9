/** What the background work that draws something from what was said may do (knowledge.md#modes). */
export const pipelineModes = ['controlled-write', 'shadow', 'frozen', 'paused', 'disabled'] as const
export type PipelineMode = (typeof pipelineModes)[number]

export const toolSets = ['core', 'all'] as const
/** `core`: what a session can't do without, for a small context; `all`: everything. */
export type ToolSet = (typeof toolSets)[number]

export const toolSets = ['core', 'all'] as const
/** `core` contains the essential tools, for a small context; `all` contains every tool. */
export type ToolSet = (typeof toolSets)[number]

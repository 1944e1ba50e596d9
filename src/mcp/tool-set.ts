export const toolSets = ['core', 'standard', 'all'] as const
/**
 * Tools that a client lists: `core` are the essential ones, for a small context; `standard` adds the others,
 * and `all` those that repeat another tool.
 */
export type ToolSet = (typeof toolSets)[number]

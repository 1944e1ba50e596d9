/** Types that people save. The table is apart from the schemas, which commands and the page do not load. */
export const memoryTypes = [
  'fact',
  'preference',
  'decision',
  'rule',
  'learning',
  'issue',
  'procedural',
  'semantic',
] as const

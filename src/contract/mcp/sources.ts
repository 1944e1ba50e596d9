import { z } from 'zod'

export const sourceSearchInput = z.object({
  query: z.string().min(1).describe('a question or the words to look for'),
  limit: z.number().default(10),
  source_id: z.string().optional().describe('only this document or source'),
  kind: z.string().optional().describe('document, or a kind of source'),
  project: z.string().optional(),
  agent_id: z.string().optional(),
})

export const sourceSearchOutput = z.object({
  results: z.array(
    z.object({
      id: z.string(),
      content: z.string(),
      score: z.number(),
      kind: z.string(),
      sourceId: z.string(),
      title: z.string().nullable(),
      heading: z.string().nullable(),
      page: z.string().nullable(),
      sourcePath: z.string().nullable(),
    }),
  ),
  count: z.number(),
})

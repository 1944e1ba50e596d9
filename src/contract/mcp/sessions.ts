import { z } from 'zod'

export const sessionSearchInput = z.object({
  query: z.string().min(1),
  session_key: z.string().optional().describe('search this session alone'),
  current_session_key: z.string().optional().describe('leave out this session'),
  agent_id: z.string().optional(),
  project: z.string().optional(),
  limit: z.number().default(10).describe('at most 20'),
})

export const sessionSearchOutput = z.object({
  query: z.string(),
  hits: z.array(
    z.object({
      sessionKey: z.string(),
      project: z.string().nullable(),
      updatedAt: z.string(),
      excerpt: z.string(),
      rank: z.number(),
    }),
  ),
  count: z.number(),
})

import { z } from 'zod'

/** What a model answers that orders rows: their numbers, best first. */
export const modelOrder = z.object({ order: z.array(z.int().min(1).max(20)).min(1).max(40) })

/** What a model answers that sums rows up: sentences, each with the numbers of the rows that say it. */
export const modelSummary = z.object({
  sentences: z
    .array(
      z.object({
        rows: z.array(z.int().min(1)).min(1).max(30),
        sentence: z.string().trim().min(1).max(1000),
      }),
    )
    .max(50),
})

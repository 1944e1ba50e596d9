import { z } from 'zod'

/** A model's ranking of rows: their numbers, best first. */
export const modelOrder = z.object({ order: z.array(z.int().min(1).max(20)).min(1).max(40) })

/** A model's summary of rows: sentences with the numbers of their source rows. */
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

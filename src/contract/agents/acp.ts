import { z } from 'zod'

/** What a server of the Agent Communication Protocol says of a run; it says more, which nobody here reads. */
export const acpRun = z.object({
  run_id: z.string().max(1000),
  status: z.enum(['created', 'in-progress', 'awaiting', 'cancelling', 'cancelled', 'completed', 'failed']),
})

/** Its body of an error. */
export const acpError = z.object({ code: z.string().max(200), message: z.string().max(100_000) })

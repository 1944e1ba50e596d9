import { z } from 'zod'

/** Destination of events (telemetry.md 8); none by default. */
export const telemetryDeliverySettings = z.object({
  url: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .refine(
      address => URL.canParse(address) && !new URL(address).username && !new URL(address).password,
      'must not contain a user name or password',
    )
    .optional(),
  /** Events recorded in this interval are sent together. */
  intervalMs: z.int().min(100).max(86_400_000).default(60_000),
})

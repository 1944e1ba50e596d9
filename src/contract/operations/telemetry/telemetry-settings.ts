import { z } from 'zod'

/** Where events are sent (telemetry.md 8): nowhere, until an address is set. */
export const telemetryDeliverySettings = z.object({
  url: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .refine(
      address => URL.canParse(address) && !new URL(address).username && !new URL(address).password,
      'must not hold a user name or password',
    )
    .optional(),
  /** What was recorded meanwhile is sent together. */
  intervalMs: z.int().min(100).max(86_400_000).default(60_000),
})

/** Why an address could not be fetched, in words for whoever named it. */
export class FetchFault extends Error {
  /** Whether another attempt may succeed. */
  readonly isPassing: boolean

  constructor(message: string, options: { isPassing?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'FetchFault'
    this.isPassing = options.isPassing ?? false
  }
}

/** The fault that an error of a connection was caused by: what a guarded lookup throws comes wrapped. */
export function fetchFaultIn(error: unknown): FetchFault | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof FetchFault) return cause
  return undefined
}

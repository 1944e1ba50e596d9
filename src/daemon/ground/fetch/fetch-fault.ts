/** Why an address could not be fetched, in words for the user. */
export class FetchFault extends Error {
  /** True if another attempt may succeed. */
  readonly isPassing: boolean

  constructor(message: string, options: { isPassing?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'FetchFault'
    this.isPassing = options.isPassing ?? false
  }
}

/** Returns the fault inside a connection error: undici wraps errors of the guarded lookup. */
export function fetchFaultIn(error: unknown): FetchFault | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof FetchFault) return cause
  return undefined
}

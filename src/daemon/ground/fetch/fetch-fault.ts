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

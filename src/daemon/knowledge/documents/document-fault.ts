/** Explains why a document is unreadable; the message is shown to the user who added it. */
export class DocumentFault extends Error {
  /** True if a retry may succeed: a server did not answer, or a file is locked. */
  readonly isPassing: boolean

  constructor(message: string, options: { isPassing?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'DocumentFault'
    this.isPassing = options.isPassing ?? false
  }
}

/** Thrown when the document was deleted while it was read. */
export class DocumentGone extends Error {}

/** Thrown when mutations were frozen during the reading, which continues once they are allowed again. */
export class DocumentFrozen extends Error {}

/** Why a document can't be read; its message is told to whoever handed it over. */
export class DocumentFault extends Error {
  /** Whether another attempt may succeed: a server that does not answer, a file that is locked. */
  readonly isPassing: boolean

  constructor(message: string, options: { isPassing?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'DocumentFault'
    this.isPassing = options.isPassing ?? false
  }
}

/** The document was deleted while it was read. */
export class DocumentGone extends Error {}

/** Mutations were frozen while it was read: it goes on when they are thawed. */
export class DocumentFrozen extends Error {}

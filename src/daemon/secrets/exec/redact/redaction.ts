/** What stands for a value. */
export const mark = '[REDACTED]'

/** Replaces values in text that comes in pieces. */
export interface Redaction {
  /** What is settled by now: the end is held back while it may begin a value. */
  push(chunk: Buffer): Buffer
  /** The rest. */
  end(): Buffer
}

/** A settings file cannot be changed safely; nothing was written. */
export class MergeFault extends Error {
  /** @param line counts from 1; 0 if the fault has no line. */
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message)
    this.name = 'MergeFault'
  }
}

/** Returns the line of an offset, counted from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

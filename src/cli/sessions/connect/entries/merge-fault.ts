/** Why a settings file cannot be changed safely; nothing was written. */
export class MergeFault extends Error {
  /** @param line counted from 1; 0 when no line is at fault. */
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message)
    this.name = 'MergeFault'
  }
}

/** The line, counted from 1, that an offset of a text is in. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

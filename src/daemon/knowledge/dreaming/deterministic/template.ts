import type { Statement } from './found.js'
import type { Setting } from './subject.js'

/** One form of statement that is understood, tested by itself. */
export interface Template {
  /** As the figures of passes name it. */
  name: string
  /** @param sentence without its time of validity. @returns what it says, nothing where it is not of this form */
  read(sentence: string, setting: Setting, isLine: boolean): readonly Statement[]
}

import { oneAtATime } from '../../../lib/concurrency/one-at-a-time.js'
import { readSecretUses, writeSecretUses } from '../../../store/files/secret-use-file.js'

interface SecretUsesOptions {
  file: string
  clock: () => Date
  log: { warn(fields: object, message: string): void }
}

/** Uses this soon after the last recorded one are not recorded. */
const coarseMs = 60_000

/** Last use of each secret, to the minute; a disk error loses only the time. */
export class SecretUses {
  readonly #options: SecretUsesOptions
  readonly #inTurn = oneAtATime()
  #last: Map<string, string> | undefined

  constructor(options: SecretUsesOptions) {
    this.#options = options
  }

  last(name: string): string | null {
    return this.#known().get(name) ?? null
  }

  note(name: string): void {
    const now = this.#options.clock()
    const known = this.#known().get(name)
    if (known && Math.abs(now.getTime() - Date.parse(known)) < coarseMs) return
    this.#known().set(name, now.toISOString())
    this.#write()
  }

  forget(name: string): void {
    if (this.#known().delete(name)) this.#write()
  }

  #known(): Map<string, string> {
    this.#last ??= readSecretUses(this.#options.file)
    return this.#last
  }

  #write(): void {
    const { file, log } = this.#options
    void this.#inTurn(() => writeSecretUses(file, this.#known())).catch((error: unknown) =>
      log.warn({ err: error }, 'last use of a secret not recorded'),
    )
  }
}

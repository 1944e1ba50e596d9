import { oneAtATime } from '../../../lib/concurrency/one-at-a-time.js'
import { readSecretUses, writeSecretUses } from '../../../store/files/secret-use-file.js'

interface SecretUsesOptions {
  file: string
  clock: () => Date
  log: { warn(fields: object, message: string): void }
}

/** A use so soon after the one that is known is not written down. */
const coarseMs = 60_000

/** When each secret was used last, to the minute; a fault of the disk loses the time and nothing else. */
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
      log.warn({ err: error }, 'when a secret was used is not written down'),
    )
  }
}

/** More than are ever told before they are written. */
const mostKept = 5_000

/**
 * Paths that were told a moment ago and may not be written yet: what the rows say of them may be old. Only the last
 * some thousand are kept.
 */
export class ToldPaths {
  #paths = new Set<string>()
  #older = new Set<string>()

  note(path: string): void {
    this.#paths.add(path)
    if (this.#paths.size < mostKept) return
    this.#older = this.#paths
    this.#paths = new Set()
  }

  has(path: string): boolean {
    return this.#paths.has(path) || this.#older.has(path)
  }

  below(path: string): string[] {
    const prefix = `${path}/`
    return [...this.#older, ...this.#paths].filter(told => told.startsWith(prefix))
  }
}

import type { Store } from '../../../store/store.js'
import type { BranchCommit, BranchFilter } from '../../../store/tables/memory/memory-filter.js'
import type { SettingsInForce } from '../settings/settings-in-force.js'
import {
  commitsOfBranch,
  defaultBranch,
  type GitOf,
  headOf,
  isAncestor,
  type Repository,
  startOfBranch,
} from './repository.js'

interface Deps {
  store: Pick<Store, 'tables'>
  configuration(): SettingsInForce
  gitOf: GitOf
}

/** Commits that one request asks git about; the others are asked about by later requests. */
const maxQuestions = 40
/** Questions that git answers at the same time. */
const concurrent = 4
/** Time for all questions of a request. */
const maxMs = 800
/** Commits of a project that are looked at, newest first. */
const maxCommits = 500
const maxAnswers = 20_000

/** Decides which branches a working tree sees when they are isolated (projects.md#branches). */
export class Branches {
  readonly #deps: Deps
  /** Answers of git by `commit of`. */
  readonly #answers = new Map<string, boolean>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * Returns the branches that a reader in a working tree may see; undefined when branches are shared, and
   * outside a repository.
   */
  async filterFor(
    project: string | null | undefined,
    repository: Repository | undefined,
  ): Promise<BranchFilter | undefined> {
    if (!project || !repository || this.#deps.configuration().settings.memory.branches === 'shared')
      return undefined
    const main = await defaultBranch(repository)
    const { branch } = await headOf(repository)
    const names = [...new Set([branch, main].filter(name => name != null))]
    const others = await this.#deps.store.tables.memories.commitsOnBranches(project, names, maxCommits)
    const merged = main === undefined ? [] : await this.#mergedInto(main, repository, others)
    return { project, names, merged }
  }

  async #mergedInto(
    main: string,
    repository: Repository,
    candidates: readonly BranchCommit[],
  ): Promise<BranchCommit[]> {
    const targets = await commitsOfBranch(repository, main)
    const until = performance.now() + maxMs
    const merged: BranchCommit[] = []
    const left = [...candidates]
    let questions = 0
    const ask = async (commit: string): Promise<boolean> => {
      for (const of of targets) {
        const pair = `${commit} ${of}`
        const isLate = questions >= maxQuestions || performance.now() >= until
        if (!this.#answers.has(pair) && !isLate) {
          questions++
          const { gitOf } = this.#deps
          const timeoutMs = Math.max(1, Math.ceil(until - performance.now()))
          this.#note(pair, await isAncestor(repository, { commit, of }, { gitOf, timeoutMs }))
        }
        if (this.#answers.get(pair)) return true
      }
      return false
    }
    const work = async (): Promise<void> => {
      for (let one = left.shift(); one; one = left.shift())
        if (await isMerged(repository, one, ask)) merged.push(one)
    }
    await Promise.all(Array.from({ length: concurrent }, work))
    return merged
  }

  #note(pair: string, answer: boolean | undefined): void {
    if (answer === undefined) return
    if (this.#answers.size >= maxAnswers) this.#answers.clear()
    this.#answers.set(pair, answer)
  }
}

/**
 * The commit at which a branch begins is part of the default branch already. Memories saved there, before the
 * branch had commits of its own, are merged together with the newest commit of the branch.
 */
async function isMerged(
  repository: Repository,
  { branch, commit }: BranchCommit,
  ask: (commit: string) => Promise<boolean>,
): Promise<boolean> {
  if ((await startOfBranch(repository, branch)) !== commit) return ask(commit)
  const [newest] = await commitsOfBranch(repository, branch)
  return newest !== undefined && newest !== commit && ask(newest)
}

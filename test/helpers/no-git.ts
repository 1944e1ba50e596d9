import type { GitOf } from '../../src/daemon/ground/projects/repository.js'

/** Git is not installed. */
export const noGit: GitOf = () => ({ ask: () => Promise.reject(new Error('git is not installed')) })

import { z } from 'zod'

export const resourceTypes = ['issues', 'pulls', 'discussions', 'docs'] as const

/** `OWNER/REPO` as allowed by GitHub, and never a path that leads elsewhere. */
export const repository = z
  .string()
  .trim()
  .max(140)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,38}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/u,
    'must be OWNER/REPO, such as cli/cli',
  )

/** Extension of a file that is not Markdown; `docs/**` and `*.{md,mdx}` do not match. */
const otherEnding = /\.(?!(?:md|mdx|markdown|mdown|mkd)$)[a-z0-9]+$/iu

/** A file or a glob, relative to the root of a repository. */
const docPath = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .refine(path => !path.startsWith('/') && !path.split('/').includes('..'), {
    error: 'must be a path inside the repository, such as docs/**',
  })
  .refine(path => !otherEnding.test(path.split('/').at(-1) ?? ''), {
    error: 'must be a Markdown file or a glob, such as README.md or docs/**/*.md',
  })

/** Settings of what is read from repositories. */
export const githubChoices = {
  resourceTypes: z.array(z.enum(resourceTypes)).min(1).max(20),
  state: z.enum(['open', 'closed', 'all']),
  /** An item must have all of them. */
  labels: z.array(z.string().trim().min(1).max(200)).max(50),
  docPaths: z.array(docPath).min(1).max(100),
  /** Maximum per resource and repository. */
  maxItemsPerRepo: z.int().min(1).max(100_000).optional(),
}

/** The settings of a GitHub source. */
export const githubSettings = z.object({
  repos: z.array(repository).min(1).max(100),
  tokenRef: z.string().max(500).optional(),
  includeComments: z.boolean(),
  ...githubChoices,
})
export type GithubSettings = z.infer<typeof githubSettings>

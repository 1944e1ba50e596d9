import test from 'ava'
import { readSources, type SourceFile, sourceTree } from '../../../../../helpers/source-tree.js'

const folder = 'src/daemon/memory/recall/ranking/'

test('ranking weights are defined in weights.ts only', t => {
  t.deepEqual(strayWeights(readSources(folder)), [])
})

test('a weight in another file is detected, whatever its name', t => {
  const example = sourceTree({
    [`${folder}author.ts`]: 'const AUTHOR_FACTOR = 1.4\n',
    [`${folder}dates.ts`]: 'export const slackMs: number = 7 * dayMs\n',
    [`${folder}session.ts`]: 'const alone = { previous: null }\nconst none = null\n',
    [`${folder}weights.ts`]: 'export const bound = 3\n',
  })
  t.deepEqual(strayWeights(example), [
    `${folder}author.ts: const AUTHOR_FACTOR = 1.4`,
    `${folder}dates.ts: export const slackMs: number = 7 * dayMs`,
  ])
})

function strayWeights(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => !path.endsWith('/weights.ts'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^(?:export )?const \w+(?:: \w+)? = -?[\d.].*$/gmu)].map(
        ([line]) => `${path}: ${line}`,
      ),
    )
}

import test from 'ava'
import { languages } from '../../../../../../src/daemon/knowledge/code/index/languages/language-of.js'
import { edgesIn, indexHere, putCode, refusedIn, symbolsIn } from '../../../../../helpers/code-project.js'
import { temporaryFolder } from '../../../../../helpers/temporary-folder.js'
import { expected } from './expected.js'
import { projects } from './projects.js'

for (const [language, files] of Object.entries(projects))
  test(`a project in ${language} has the expected symbols and edges`, async t => {
    const root = temporaryFolder(t)
    putCode(root, files)
    await indexHere(root)
    t.deepEqual(symbolsIn(root), expected[language]?.symbols)
    t.deepEqual(edgesIn(root), expected[language]?.edges)
    t.deepEqual(refusedIn(root), {})
  })

test('every language with a grammar has a project', t => {
  t.deepEqual(
    languages.map(({ id }) => id).filter(id => !(id in projects)),
    [],
  )
})

import test from 'ava'
import { repositoryName } from '../../../../../src/cli/knowledge/sources/source-command.js'
import { CliError } from '../../../../../src/cli/shell/cli-error.js'

test('a repository is named with owner/name, page URL or git URL', t => {
  for (const word of [
    'octo/site',
    'https://github.com/octo/site',
    'https://github.example.com/octo/site/tree/main/docs?x=1#top',
    'https://github.com/octo/site.git',
    'git@github.com:octo/site.git',
    'ssh://git@github.com/octo/site.git/',
  ])
    t.is(repositoryName(word), 'octo/site', word)
})

test('any other repository name is refused', t => {
  for (const word of ['octo', 'octo/site/x', 'https://github.com/octo', 'a b/c', '/octo/site'])
    t.throws(() => repositoryName(word), { instanceOf: CliError, message: /is not a repository/u }, word)
})

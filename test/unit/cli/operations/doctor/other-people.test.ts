import test from 'ava'
import { peopleIn } from '../../../../../src/cli/operations/doctor/machine-checks.js'

test('people are accounts from 1000 on with a login shell', t => {
  const passwd = [
    'root:x:0:0:root:/root:/bin/bash',
    'www-data:x:33:33::/var/www:/usr/sbin/nologin',
    'ann:x:1000:1000:Ann:/home/ann:/bin/bash',
    'bob:x:1001:1001::/home/bob:/usr/bin/zsh',
    'build:x:1002:1002::/srv:/usr/sbin/nologin',
    'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin',
  ]
  t.is(peopleIn(passwd.join('\n')), 2)
  t.is(peopleIn(''), 0)
})

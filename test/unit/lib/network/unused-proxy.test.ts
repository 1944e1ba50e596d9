import test from 'ava'
import { unusedProxy } from '../../../../src/lib/network/unused-proxy.js'

test('a proxy that is set is named as unused', t => {
  t.is(unusedProxy({ PATH: '/bin', HTTPS_PROXY: '' }), '')
  t.is(unusedProxy({ https_proxy: 'http://p:3128' }), '; https_proxy is set, but this service uses no proxy')
})

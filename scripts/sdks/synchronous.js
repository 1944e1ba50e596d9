const replacements = [
  [
    /"""The asynchronous client/gu,
    '"""The synchronous client. Generated from _async_client.py by `npm run build`',
  ],
  [/\bAsync(?=[A-Z])/gu, ''],
  [/\basync (?=def|for|with)/gu, ''],
  [/\bawait /gu, ''],
  [/\b__aenter__\b/gu, '__enter__'],
  [/\b__aexit__\b/gu, '__exit__'],
  [/\basyncio\.sleep\b/gu, 'time.sleep'],
  [/\basyncio\.to_thread\((\w+), /gu, '$1('],
  [/\bimport asyncio\b/gu, 'import time'],
  [/\baclose\b/gu, 'close'],
  [/\baiter_/gu, 'iter_'],
  [/\baread\b/gu, 'read'],
]

/** @returns {string} the synchronous client from the text of the asynchronous one. */
export function synchronous(text) {
  return replacements.reduce((changed, [pattern, replacement]) => changed.replace(pattern, replacement), text)
}

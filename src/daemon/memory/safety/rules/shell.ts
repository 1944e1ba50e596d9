import type { Rule } from '../rule.js'
import { download, downloadWords, interpreter, suspiciousHost } from './parts.js'

const reason = 'malicious_shell'

const decoder =
  '(?:base64 (?:-\\w+ )*(?:-d|--decode|-di|-id)\\b|base32 (?:-d|--decode)|openssl (?:enc |base64 )[^|\\n]{0,40}-d\\b|xxd (?:-r -p|-p -r|-r)\\b|rev\\b(?! )|tr (?:\'|")?a-z(?:\'|")? (?:\'|")?n-za-m|uudecode)'
const toInterpreter = new RegExp(`^[^\\n|]{0,120}(?:\\|[^\\n|]{0,80}){0,2}\\|\\s?${interpreter}`)
const blocked = { reason, status: 'blocked', reach: 'line' } as const
const tainted = { reason, status: 'tainted', reach: 'line' } as const

/** Rules for commands that run hidden code, or code from places that nobody can vouch for (spec 1, 1.6). */
export const shellRules: readonly Rule[] = [
  // Decode and run.
  {
    ...blocked,
    needs: [['base64', 'base32', 'openssl', 'xxd', 'rev', 'tr ', 'uudecode'], ['|']],
    start: new RegExp(`\\b${decoder}`, 'g'),
    followedBy: [toInterpreter],
  },
  {
    ...blocked,
    needs: [
      ['base64', 'base32', 'openssl', 'xxd', 'rev', 'tr ', 'uudecode'],
      ['eval', 'sh -', 'source', ' .'],
    ],
    start: new RegExp(
      `(?:\\beval\\b|\\b(?:ba|z|da|k)?sh -\\w*c\\b|\\bsource\\b|(?<=\\s)\\.) ?["']?(?:<\\(|\\$\\(|\`)[^\\n]{0,160}?${decoder}`,
      'g',
    ),
  },
  {
    ...blocked,
    needs: [['sh'], ['<(', '<<<']],
    start: /\b(?:ba|z|da|k)?sh\s?(?:-\w+ )?(?:<\(|<<<\s?["']?\$\()/g,
    followedBy: [new RegExp(`^[^\\n]{0,160}?(?:${decoder}|${download}[^\\n)]{0,80}?${suspiciousHost})`)],
  },
  {
    ...blocked,
    needs: [
      [
        'b64',
        'base64_decode',
        'decode64',
        'decode_base64',
        'buffer.from',
        'fromhex',
        'unhexlify',
        'marshal',
        'zlib',
        'urlopen',
        'requests.get',
      ],
    ],
    start: /\b(?:python[23]?|perl|ruby|node|php|deno eval)\b[^\n]{0,20}?-[cer]\b/g,
    followedBy: [
      /(?:exec|eval|system|os\.popen|subprocess|function)\s?\(?[^\n]{0,80}(?:b64decode|base64_decode|decode64|decode_base64|buffer\.from\([^\n]{4,200}?["'](?:base64|hex)["']|fromhex|unhexlify|marshal\.loads|zlib\.decompress|urlopen\(|requests\.get\()/,
    ],
  },
  {
    ...blocked,
    needs: [
      ['base64', 'atob', 'marshal', 'zlib'],
      ['exec', 'eval'],
    ],
    start:
      /\b(?:exec|eval)\s?\(\s?(?:__import__\(\s?["']base64["']\s?\)\.|base64\.|compile\(\s?base64\.|atob\(|marshal\.loads|zlib\.decompress\()/g,
    followedBy: [/[a-z0-9+/=]{24,}/],
  },
  {
    ...blocked,
    needs: [['printf']],
    start: /\bprintf ["'](?:\\x[0-9a-f]{2}|\\[0-7]{3}){4,}[^\n|]{0,200}/g,
    followedBy: [new RegExp(`\\|\\s?${interpreter}`)],
  },
  {
    ...blocked,
    needs: [['powershell', 'pwsh']],
    start: /\b(?:powershell|pwsh)(?:\.exe)?\b/g,
    followedBy: [/ -e(?:nc?|nco\w{0,10}|c)?\s["']?[a-z0-9+/=]{40,}/],
  },
  // Download from a place that nobody can vouch for, and run.
  {
    ...blocked,
    needs: [downloadWords, ['|']],
    start: new RegExp(`${download}[^\\n|]{0,160}?${suspiciousHost}[^\\n|]{0,160}`, 'g'),
    followedBy: [new RegExp(`^(?:\\|[^\\n|]{0,60}){0,2}\\|\\s?${interpreter}`)],
  },
  {
    ...blocked,
    needs: [downloadWords, ['chmod', 'sh']],
    start: new RegExp(`${download}[^\\n]{0,120}?${suspiciousHost}`, 'g'),
    followedBy: [
      /\bchmod (?:\+x|a\+x|u\+x|[0-7]?7[0-7]{2})\b|(?:&&|;|\n) ?(?:sudo )?(?:ba|z|da)?sh (?:\.?\/|\w)/,
    ],
    reach: 'passage',
  },
  {
    ...blocked,
    needs: [downloadWords, ['eval', 'sh -', 'python']],
    start: new RegExp(
      `(?:\\beval\\b|\\b(?:ba|z|da|k)?sh -\\w*c\\b|\\bpython3? -c\\b) ?["']?(?:\\$\\(|\`) ?${download}[^\\n]{0,120}?${suspiciousHost}`,
      'g',
    ),
  },
  {
    ...tainted,
    needs: [downloadWords, ['/dev/null']],
    start: new RegExp(`${download}[^\\n|]{0,200}`, 'g'),
    followedBy: [
      new RegExp(
        `^(?:\\|[^\\n|]{0,60}){0,2}\\|\\s?${interpreter}[^\\n|]{0,40}?(?:> ?/dev/null 2>&1 ?&|&> ?/dev/null ?&|2>/dev/null ?&)`,
      ),
    ],
  },
  {
    ...tainted,
    needs: [downloadWords, ['|']],
    start: new RegExp(
      `${download}[^\\n|]{0,80}?(?: -\\w*k\\w*\\b| --insecure\\b| --no-check-certificate\\b| http://(?!localhost|127\\.|10\\.|192\\.168\\.|[\\w-]+[:/]|[\\w.-]+\\.(?:local|internal|lan|test)\\b))[^\\n|]{0,160}`,
      'g',
    ),
    followedBy: [new RegExp(`^(?:\\|[^\\n|]{0,60}){0,2}\\|\\s?${interpreter}`)],
  },
  {
    ...blocked,
    needs: [['iex', 'invoke-expression']],
    start: /\b(?:iex|invoke-expression)\b/g,
    followedBy: [
      new RegExp(
        `(?:downloadstring|invoke-webrequest|iwr|irm|invoke-restmethod|frombase64string|downloadfile)[^\\n]{0,60}(?:${suspiciousHost}|frombase64string)`,
      ),
    ],
  },
  {
    ...blocked,
    needs: [['iex', 'invoke-expression']],
    start: new RegExp(
      `\\b(?:downloadstring|iwr|irm|invoke-webrequest|invoke-restmethod)\\b[^\\n|]{0,40}?${suspiciousHost}[^\\n|]{0,80}\\|\\s?(?:iex|invoke-expression)\\b`,
      'g',
    ),
  },
  {
    ...blocked,
    needs: [['mshta', 'regsvr32', 'rundll32', 'certutil', 'bitsadmin']],
    start: /\b(?:mshta|regsvr32|rundll32|certutil|bitsadmin)(?:\.exe)?\b/g,
    followedBy: [
      /^ ?["']?https?:\/\/|(?:-urlcache|\/i:|javascript:|\/transfer|vbscript:)[^\n]{0,60}https?:\/\//,
    ],
    unless: /https?:\/\/(?:learn|docs)\.microsoft/,
  },
  {
    ...tainted,
    needs: [downloadWords, ['chmod']],
    start: new RegExp(
      `${download}[^\\n|]{0,80}? http://(?!localhost|127\\.|10\\.|192\\.168\\.|[\\w-]+[:/]|[\\w.-]+\\.(?:local|internal|lan|test)\\b)`,
      'g',
    ),
    followedBy: [
      /\bchmod (?:\+x|a\+x|u\+x|[0-7]?7[0-7]{2})\b/,
      /(?:&&|;|\n) ?(?:sudo )?(?:\/tmp|\/dev\/shm|\/var\/tmp|\.)\//,
    ],
    reach: 'passage',
  },
]

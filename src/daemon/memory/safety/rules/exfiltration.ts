import { phrase, type Rule } from '../rule.js'
import { destination, foreignUrl, secretFile, secretFileWords, secretThing, suspiciousHost } from './parts.js'

const reason = 'exfiltration'

const send =
  '(?:send|post|upload|transmit|forward|e-?mail|mail|exfiltrate|leak|submit|deliver|share|relay|smuggle|beacon|ship|dump|copy|push|publish|transfer|report|append|encode|attach|include|put|paste|embed)'
const carry =
  '(?:send|post|upload|transmit|forward|e-?mail|mail|exfiltrate|leak|submit|deliver|relay|transfer|put|append|push|encode|pass|report|share|copy)'
const talk =
  "(?:(?:this|our|your|the (?:entire|full|whole|complete|current|user's)|entire|full|whole|the user's) (?:entire |full |whole |chat |current )*(?:conversation|chat|chat history|message history|session transcript|transcript|system prompt|memory|memories|context(?: window)?|instructions|private (?:code|repositor(?:y|ies)|data)|personal (?:data|information)|messages))"
const part = (source: string) => new RegExp(source)

/** Rules for orders and commands that carry secrets or the conversation away (spec 1, 1.6). */
export const exfiltrationRules: readonly Rule[] = [
  {
    reason,
    status: 'blocked',
    needs: [secretFileWords],
    command: true,
    start: phrase(`${send}\\b`),
    followedBy: [part(secretFile), part(destination)],
    unless: /\bgit@|\bssh-copy-id\b|\bgithub secrets\b/,
  },
  {
    reason,
    status: 'blocked',
    needs: [
      ['key', 'phrase', 'credential', 'password', 'token', 'cookie', 'secret', 'variable', 'env var'],
      [
        'http',
        'ftp:',
        'ws:',
        'wss:',
        '@',
        'server',
        'endpoint',
        'webhook',
        'web hook',
        'host',
        'url',
        'site',
        'address',
        'mail',
        'domain',
        'bucket',
        'channel',
        'bot',
        'api',
        '.',
      ],
    ],
    command: true,
    start: phrase(
      `(?:send|upload|transmit|forward|e-?mail|exfiltrate|leak|smuggle|relay|deliver|post|dump) (?:me |us |out |over )?(?:the (?:contents?|values?) of )?(?:all |any |every |each |all of )?${secretThing}`,
    ),
    followedBy: [part(`^[^.!?]{0,60}?(?:to|at|via|through|into|in) [^.!?]{0,40}?${destination}`)],
    unless:
      /^\w+ (?:the |your |their )(?:api[ _-]?keys?|tokens?|access tokens|auth tokens|credentials|passwords|cookies|session cookies|secrets)\b(?! (?:you (?:find|found|see)|stored|from|in (?:the|this|memory)))/,
  },
  {
    reason,
    status: 'blocked',
    needs: [
      [
        'conversation',
        'chat',
        'message',
        'transcript',
        'system prompt',
        'memor',
        'context',
        'instruction',
        'private',
        'personal',
      ],
    ],
    command: true,
    start: phrase(
      `(?:send|upload|transmit|forward|e-?mail|exfiltrate|leak|smuggle|relay|deliver|post|append|encode|put|include|embed) (?:a copy of |the contents? of |all of |all )?${talk}\\b`,
    ),
    followedBy: [part(`\\b(?:to|at|in|into|as|via|onto) [^.!?]{0,60}?${destination}`)],
  },
  {
    reason,
    status: 'blocked',
    needs: [
      [
        ...secretFileWords,
        'key',
        'phrase',
        'credential',
        'password',
        'token',
        'secret',
        'variable',
        'env var',
        'keychain',
      ],
      [
        'send',
        'post',
        'upload',
        'transmit',
        'forward',
        'mail',
        'exfil',
        'leak',
        'submit',
        'deliver',
        'relay',
        'transfer',
        'put',
        'append',
        'push',
        'encode',
        'pass',
        'report',
        'share',
        'copy',
      ],
    ],
    command: true,
    start: phrase(
      '(?:dump|export|read|open|cat|collect|gather|grab|take|copy|find|locate|search for|look for|zip|compress|archive|encode|extract|base64)\\b',
    ),
    followedBy: [
      part(`(?:${secretFile}|${secretThing})`),
      part(
        `\\b(?:${carry}\\s(?:it|them|those|these|this|that|everything|all|(?:the|its|their|full|a copy of) ?(?:the )?(?:full |file |key )*(?:contents?|outputs?|files?|results?|keys?|archives?|values?|data|secrets?|tokens?|credentials|lot))|(?:and|then|,) ${carry} (?:to|via|at))\\b`,
      ),
      part(destination),
    ],
    reach: 'passage',
    unless: /\b(?:gitleaks|trufflehog|detect-secrets|rotate|revoke|never (?:send|commit|log))\b/,
  },
  {
    reason,
    status: 'blocked',
    needs: [
      ['curl', 'wget', 'http', 'xh', 'iwr', 'invoke-', 'irm'],
      [...secretFileWords, '$('],
    ],
    start: /\b(?:curl|wget|https?ie|http|xh|iwr|invoke-webrequest|invoke-restmethod|irm)\b/g,
    followedBy: [
      part(
        `(?:(?:-d|-f|-t|--data[\\w-]*|--form|--upload-file|--post-file|--body-file|-infile|-body)[ =]?["']?(?:[\\w-]+=)?@?<?["']?[~$\\w/{}.:\\\\-]*${secretFile}|\\$\\((?:cat|base64(?: -w ?0)?|<|env|printenv)\\s?[^)]{0,60}(?:${secretFile}|\\benv\\b|\\)))`,
      ),
    ],
    reach: 'line',
    unless: /(?:https?:\/\/|\s)(?:localhost|127\.0\.0\.1)\b/,
  },
  {
    reason,
    status: 'blocked',
    needs: [['curl', 'wget', 'nc', 'ncat', 'netcat', 'socat', 'telnet', 'mail', 'iwr'], ['|']],
    start: new RegExp(
      `(?:\\b(?:cat|base64|gzip -c|tar c?z?c?f?|tar -?[cjzf]{1,4}|zip -r?|openssl|xxd|head|strings|grep)\\b[^|\\n]{0,80}${secretFile}|\\b(?:env|printenv|set|export -p)\\b ?)[^|\\n]{0,60}\\|`,
      'g',
    ),
    followedBy: [
      part(`^[^\\n]{0,160}?\\b(?:curl|wget|nc|ncat|netcat|socat|telnet|mail|sendmail|iwr)\\b`),
      part(
        `(?:${foreignUrl}|${suspiciousHost}|[\\w.-]+\\.[a-z]{2,} \\d{2,5}\\b|[\\w.-]+@[\\w-]+\\.[a-z]{2,})`,
      ),
    ],
    reach: 'line',
  },
  {
    reason,
    status: 'blocked',
    needs: [['<'], secretFileWords],
    start: /\b(?:nc|ncat|netcat|socat)\b[^|\n]{0,60}<\s?/g,
    followedBy: [part(`^["']?[~$\\w/{}-]*${secretFile}`)],
    reach: 'line',
  },
  {
    reason,
    status: 'blocked',
    needs: [
      ['curl', 'wget', 'ping', 'nslookup', 'dig', 'host'],
      ['$(', '`', 'key', 'token', 'secret', 'passw', 'credential'],
    ],
    start: /\b(?:curl|wget|ping|nslookup|dig|host)\b/g,
    followedBy: [
      part(
        `(?:${suspiciousHost}[^\\n]{0,80}(?:(?:\\$\\(|\`)\\s?(?:cat|env|printenv|id|whoami|hostname|base64|head|tail|ls|grep|<)\\b|\\$\\{?\\w*(?:key|token|secret|passw|credential))|\\$\\((?:cat|whoami|hostname|env|printenv|id|base64)[^)]{0,80}\\)\\.[\\w-]+\\.[a-z]{2,})`,
      ),
    ],
    reach: 'line',
  },
  {
    reason,
    status: 'blocked',
    needs: [secretFileWords.concat('.pem', '.key'), ['curl', 'wget']],
    start: new RegExp(
      `\\b(?:find|cat|cp|tar|zip|grep|base64)\\b[^\\n]{0,100}?(?:${secretFile}|\\*\\.(?:pem|key)\\b)`,
      'g',
    ),
    followedBy: [
      part(
        `^[^\\n]{0,160}?(?:&&|;|-exec|xargs|\\|)[^\\n]{0,80}?\\b(?:curl|wget)\\b[^\\n]{0,120}?(?:-d|-f|-t|--data[\\w-]*|--form|--upload-file|--post-file)[ =]?["']?[^\\n]{0,40}?[@/]`,
      ),
      part(foreignUrl),
    ],
    reach: 'line',
  },
  {
    reason,
    status: 'tainted',
    needs: [['!['], ['http']],
    start: /!\[[^\]\n]{0,80}\]\(\s?https?:\/\/[^)\s]{1,200}[?&/][\w-]{1,20}=/g,
    followedBy: [
      /^[^)\n]{0,40}?(?:\{|\[|<|%7b|\$|encoded|base64|_)[^)\n]{0,60}?(?:conversation|history|secret|prompt|api|key|passw|token|env|memory|memories|context|data|user|message|chat)/,
    ],
    reach: 'line',
    unless: /shields\.io|badge|codecov|img\.shields|githubusercontent/,
  },
  {
    reason,
    status: 'tainted',
    needs: [
      ['image', 'img', 'link', 'pixel', 'url', 'request'],
      ['://'],
      [
        'conversation',
        'chat history',
        'user',
        'system prompt',
        'secret',
        'key',
        'password',
        'private',
        'variables',
        'session data',
        'memory content',
        'credential',
      ],
    ],
    command: true,
    start: phrase('(?:render|display|show|add|insert|include|output|load|fetch|embed|create|append)'),
    followedBy: [
      /\b(?:markdown )?(?:image|img|link|pixel|url|request)\b/,
      part(foreignUrl),
      /\b(?:conversation|chat history|user'?s? (?:data|name|email|message|question|secret)|system prompt|secrets?|api keys?|passwords?|private|environment variables|session data|memory contents?|credentials)\b/,
    ],
    unless: /\b(?:never|do not|don't)\b/,
  },
]

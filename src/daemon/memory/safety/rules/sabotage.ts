import type { Rule } from '../rule.js'
import { download, downloadWords, suspiciousHost } from './parts.js'

const reason = 'malicious_shell'

const blocked = { reason, status: 'blocked', reach: 'line' } as const
const tainted = { reason, status: 'tainted', reach: 'line' } as const

/** Rules for commands that no runbook needs: reverse shells, wiped disks, miners (spec 1, 1.6). */
export const sabotageRules: readonly Rule[] = [
  // Somebody else's terminal.
  {
    ...blocked,
    needs: [['/dev/tcp', '/dev/udp']],
    start: /\b(?:ba|z|da|k)?sh -i\b/g,
    followedBy: [/\/dev\/(?:tcp|udp)\//],
  },
  {
    ...blocked,
    needs: [['/dev/tcp', '/dev/udp']],
    start: /\bexec \d{1,3}<>\s?\/dev\/(?:tcp|udp)\/(?!localhost|127\.)/g,
    followedBy: [/\b(?:while read|cat <&|bash|sh) ?/],
    reach: 'passage',
  },
  {
    ...blocked,
    needs: [
      ['nc', 'ncat', 'netcat'],
      ['sh', 'cmd'],
    ],
    start:
      /\b(?:nc|ncat|netcat)(?:\.exe|\.traditional)?\b[^\n|]{0,80}? (?:-\w*e|-c|--exec|--sh-exec)[ =]?["']?(?:\/(?:usr\/)?bin\/)?(?:ba|z|da|k)?(?:sh|cmd)\b/g,
  },
  {
    ...blocked,
    needs: [['mkfifo']],
    start: /\bmkfifo\b/g,
    followedBy: [/\|\s?(?:\/bin\/)?(?:ba)?sh -?i?\b/, /\|\s?(?:nc|ncat|netcat|telnet|openssl s_client)\b/],
  },
  {
    ...blocked,
    needs: [['socat']],
    start: /\bsocat\b/g,
    followedBy: [/\bexec:["']?(?:\/bin\/)?(?:ba|z)?sh\b/],
    unless: /\blocalhost|unix-connect/,
  },
  {
    ...blocked,
    needs: [['socket'], ['dup2', 'pty', 'subprocess', 'exec']],
    start: /\bsocket\b/g,
    followedBy: [
      /\.connect\(\(?|fsockopen|sockaddr_in|tcpsocket/,
      /\b(?:dup2\(|pty\.spawn|subprocess\.(?:call|popen)\(\s?\[?["']\/bin\/(?:ba)?sh|exec\(?["']\/bin\/(?:ba)?sh)/,
    ],
    reach: 'passage',
  },
  {
    ...blocked,
    needs: [['fsockopen', 'tcpsocket']],
    start: /\b(?:fsockopen|tcpsocket\.(?:new|open))\(/g,
    followedBy: [/(?:\/bin\/)?(?:ba)?sh -i|exec\b/],
  },
  // Destruction.
  {
    ...blocked,
    needs: [['rm -']],
    start:
      /\brm (?:-{1,2}[\w-]+ ){1,4}(?:--no-preserve-root|\/\*(?=\s)|\/\*?(?=\s?(?:$|[;&|\n"'`)#]|[.,](?:\s|$)|--no-preserve-root|2>)))/g,
    unless: /^[^\n]{0,40}\$\{?\w+:\?/,
  },
  {
    ...tainted,
    needs: [['rm -']],
    start:
      /\brm -(?:[a-z]*r[a-z]*f|[a-z]*f[a-z]*r)[a-z]* (?:--\s)?["']?(?:~|\$\{?home\}?|\/home|\/users|\/etc|\/usr|\/boot|c:\\)["']?(?:\/\*(?=\s)|\/?\*?(?=\s?(?:$|[;&|\n"'`)#]|[.,](?:\s|$)|2>)))/g,
  },
  { ...blocked, needs: [[':(', ': (']], start: /(?<!\w):\s?\(\s?\)\s?\{\s?:\s?\|\s?:\s?&\s?\}\s?;\s?:/g },
  {
    ...tainted,
    needs: [['/dev/']],
    start:
      /\b(?:dd if=\/dev\/(?:zero|u?random) of=\/dev\/(?:sda|nvme0n1|hda|vda|disk0)\b|mkfs(?:\.\w+)? (?:-\w+ )*\/dev\/(?:sda|nvme0n1|hda|vda)\d?\b(?:[^\n]{0,40}--?(?:force|y))|cat \/dev\/(?:zero|urandom) > ?\/dev\/(?:sda|nvme0n1|hda|vda)\b|> ?\/dev\/sda\b)/g,
  },
  {
    ...tainted,
    needs: [['-delete', 'format c', 'del /', 'vssadmin', 'chmod -r']],
    start:
      /\bfind (?:\/|~|\$home) [^\n]{0,40}-delete\b|\bformat c: \/(?:y|q)|\bdel \/[sfq] \/[sfq](?: \/[sfq])? c:\\|\bvssadmin delete shadows\b|\bchmod -r (?:777|000) \/(?=\s|$)/g,
  },
  // Mining and persistence.
  {
    ...blocked,
    needs: [['xmrig', 'minerd', 'cpuminer', 'ethminer', 't-rex']],
    start:
      /\b(?:xmrig|minerd|cpuminer|ethminer|t-rex)\b[^\n]{0,80}?(?:stratum\+(?:tcp|ssl):\/\/| -o \S+:\d{2,5}\b)/g,
  },
  {
    ...blocked,
    needs: [
      downloadWords,
      ['crontab', '/etc/cron', '.bashrc', '.zshrc', '.profile', 'authorized_keys', 'launchagents'],
    ],
    start: /\bcrontab\b|\/etc\/cron|\.bashrc|\.zshrc|\.profile|authorized_keys|launchagents/g,
    followedBy: [new RegExp(`${download}[^\\n]{0,100}?${suspiciousHost}`)],
  },
]

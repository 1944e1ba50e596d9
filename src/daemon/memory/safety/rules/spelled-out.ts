import type { Rule } from '../rule.js'

/** For text whose letters stood one by one: the blanks between its words are lost (spec 1, 1.6). */
export const spelledOutRules: readonly Rule[] = [
  {
    reason: 'prompt_injection',
    status: 'blocked',
    needs: [],
    start:
      /(?:ignore|disregard|forget|override|bypass)(?:all|any|the|your|of|these|my)*(?:previous|prior|earlier|above|system|original|safety)*(?:instructions?|prompts?|rules|guidelines|directions|directives)/g,
  },
  {
    reason: 'prompt_injection',
    status: 'blocked',
    needs: [],
    start:
      /(?:reveal|print|show|output|repeat|leak)(?:me|us|the|your|full|entire|hidden|secret)*(?:systemprompt|instructions)|youarenow(?:dan|unrestricted|jailbroken)|doanythingnow|donottelltheuser/g,
  },
  {
    reason: 'exfiltration',
    status: 'blocked',
    needs: [],
    start:
      /(?:send|upload|email|post|leak)(?:me|us|the|your|all|contentsof|user|every)*(?:secrets|passwords?|credentials|apikeys?|privatekeys?|sshkeys?|envfile|environmentvariables)/g,
  },
  {
    reason: 'malicious_shell',
    status: 'blocked',
    needs: [],
    start: /rmrf(?:nopreserveroot)|base64d(?:bash|sh)/g,
  },
]

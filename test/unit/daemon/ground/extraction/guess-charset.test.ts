import { randomBytes } from 'node:crypto'
import test from 'ava'
import { decodeText, type Guess } from '../../../../../src/daemon/ground/extraction/decode-text.js'
import { guessUtf16 } from '../../../../../src/daemon/ground/extraction/guess-charset.js'
import { sourceFormat } from '../../../../../src/daemon/ground/extraction/source-format.js'
import { runToEnd } from '../../../../../src/lib/concurrency/every-few-ms.js'

/** Charset, text, and its bytes in base64. */
const texts: readonly [charset: string, text: string, bytes: string][] = [
  ['gb18030', '数据库端口是 5432\n', 'yv2+3b/itsu/2srHIDU0MzIK'],
  [
    'gb18030',
    '会议改到星期二下午三点，请大家确认。\n',
    'u+HS6bjEtb3Qx8batv7Pws7nyP2146Osx+u087zSyLfIz6GjCg==',
  ],
  ['big5', '資料庫的連接埠是 5432\n', 'uOquxq53qrqzc7G1sPCsTyA1NDMyCg=='],
  ['shift_jis', 'データベースのポートは 5433 です\n', 'g2aBW4Neg3iBW4NYgsyDfIFbg2eCzSA1NDMzIILFgrcK'],
  ['euc-jp', 'データベースのポートは 5433 です\n', 'pcehvKW/pdmhvKW5pM6l3aG8pcikzyA1NDMzIKTHpLkK'],
  ['euc-kr', '데이터베이스 포트는 5432 입니다\n', 'taXAzMXNuqPAzL26IMb3xq60wiA1NDMyIMDUtM+02Qo='],
  [
    'windows-1251',
    'Порт базы данных 5434, пароль хранится в сейфе\n',
    'z+7w8iDh4Of7IOTg7e379SA1NDM0LCDv4PDu6/wg9fDg7ejy8f8g4iDx5en05Qo=',
  ],
  ['windows-1251', 'ПОРТ БАЗЫ ДАННЫХ\n', 'z87Q0iDBwMfbIMTAzc3b1Qo='],
  [
    'windows-1251',
    'Сервер работает в docker, порт 80. «Альфа» — готова!\n',
    '0eXw4uXwIPDg4e7y4OXyIOIgZG9ja2VyLCDv7vDyIDgwLiCrwOv89OC7IJcg4+7y7uLgIQo=',
  ],
  [
    'koi8-u',
    'Порт базы данных 5434, пароль хранится в сейфе\n',
    '8M/S1CDCwdrZIMTBzs7ZyCA1NDM0LCDQwdLPzNggyNLBzsnU09Eg1yDTxcrGxQo=',
  ],
  [
    'ibm866',
    'Порт базы данных 5434, пароль хранится в сейфе\n',
    'j67g4iChoKfrIKSgra3r5SA1NDM0LCCvoOCuq+wg5eCgraji4e8goiDhpankpQo=',
  ],
  [
    'windows-1252',
    'Der Schlüssel für den Übergang hängt im Büro.\n',
    'RGVyIFNjaGz8c3NlbCBm/HIgZGVuINxiZXJnYW5nIGjkbmd0IGltIEL8cm8uCg==',
  ],
  [
    'windows-1252',
    'L’été dernier, nous avons déplacé “la base”\n',
    'TJLpdOkgZGVybmllciwgbm91cyBhdm9ucyBk6XBsYWPpIJNsYSBiYXNllAo=',
  ],
  ['windows-1252', 'Größe: 5 µm, 20 °C, 3 £\n', 'R3L232U6IDUgtW0sIDIwILBDLCAzIKMK'],
  ['windows-1252', 'São Paulo não é à toa, coração\n', 'U+NvIFBhdWxvIG7jbyDpIOAgdG9hLCBjb3Jh5+NvCg=='],
  [
    'windows-1252',
    'señor, Malmö, Smørrebrød, Crème brûlée\n',
    'c2Xxb3IsIE1hbG32LCBTbfhycmVicvhkLCBDcuhtZSBicvts6WUK',
  ],
  [
    'windows-1250',
    'Příliš žluťoučký kůň úpěl ďábelské ódy\n',
    'UPjtbGmaIJ5sdZ1vdehr/SBr+fIg+nDsbCDv4WJlbHNr6SDzZHkK',
  ],
  [
    'windows-1250',
    'Zażółć gęślą jaźń, proszę o potwierdzenie hasła\n',
    'WmG/87PmIGfqnGy5IGphn/EsIHByb3N66iBvIHBvdHdpZXJkemVuaWUgaGFzs2EK',
  ],
  [
    'windows-1250',
    'A jelszó a széfben van, kérjük erősítse meg\n',
    'QSBqZWxzevMgYSBzeulmYmVuIHZhbiwga+lyavxrIGVy9XPtdHNlIG1lZwo=',
  ],
  [
    'iso-8859-2',
    'Zażółć gęślą jaźń, proszę o potwierdzenie hasła\n',
    'WmG/87PmIGfqtmyxIGphvPEsIHByb3N66iBvIHBvdHdpZXJkemVuaWUgaGFzs2EK',
  ],
  [
    'windows-1253',
    'Η θύρα της βάσης δεδομένων είναι 5434\n',
    'xyDo/fHhIPTn8iDi3PPn8iDk5eTv7N3t+e0g5d/t4ekgNTQzNAo=',
  ],
  [
    'windows-1254',
    'Veritabanı bağlantı noktası 5434, şifre kasada saklanır\n',
    'VmVyaXRhYmFu/SBiYfBsYW50/SBub2t0YXP9IDU0MzQsIP5pZnJlIGthc2FkYSBzYWtsYW79cgo=',
  ],
  ['windows-1255', 'הפורט של מסד הנתונים הוא 5434\n', '5PTl+Ogg+ewg7vHjIOTw+uXw6e0g5OXgIDU0MzQK'],
  ['windows-1256', 'منفذ قاعدة البيانات هو 5434\n', '4+Td0CDex9rPySDH4cjtx+THyiDl5iA1NDM0Cg=='],
  ['windows-1257', 'Šiaulių ąžuolas, įmonė, žemė\n', '0GlhdWxp+CDg/nVvbGFzLCDhbW9u6ywg/mVt6wo='],
  ['windows-874', 'พอร์ตฐานข้อมูล\n', 'vs3D7LWw0rmi6c3B2cUK'],
  ['utf-16le', 'Порт очереди 5435\n', 'HwQ+BEAEQgQgAD4ERwQ1BEAENQQ0BDgEIAA1ADQAMwA1AAoA'],
  ['utf-16be', 'Порт очереди 5435\n', 'BB8EPgRABEIAIAQ+BEcENQRABDUENAQ4ACAANQA0ADMANQAK'],
  ['utf-16le', '数据库端口是 5432\n', 'cGVuY5Ne73rjUy9mIAA1ADQAMwAyAAoA'],
  ['utf-16le', 'the port is 5435\n', 'dABoAGUAIABwAG8AcgB0ACAAaQBzACAANQA0ADMANQAKAA=='],
  [
    'iso-2022-jp',
    'データベースのポートは 5433 です\n',
    'GyRCJUchPCU/JVkhPCU5JE4lXSE8JUgkTxsoQiA1NDMzIBskQiRHJDkbKEIK',
  ],
]

test('short texts in other charsets are read as they were written, with the guess', t => {
  for (const [charset, text, base64] of texts) {
    const bytes = Buffer.from(base64, 'base64')
    const guess: Guess = {}
    t.is(runToEnd(decodeText(bytes, undefined, guess)), text, charset)
    t.is(guess.guessedCharset, charset, text)
    t.is(sourceFormat(bytes, { fileName: 'notes.txt' }), 'text', text)
    const long = Buffer.concat(Array.from({ length: 20 }, () => bytes))
    if (!charset.startsWith('utf-16')) t.is(runToEnd(decodeText(long)), text.repeat(20), charset)
  }
})

test('UTF-8, declared charsets and byte order marks are not guessed', t => {
  const guess: Guess = {}
  t.is(runToEnd(decodeText(Buffer.from('größer 数据'), undefined, guess)), 'größer 数据')
  t.is(runToEnd(decodeText(Buffer.from([0xcb, 0xcc, 0xc0, 0xde]), 'koi8-r', guess)), 'ключ')
  t.is(runToEnd(decodeText(Buffer.from('\ufeffab', 'utf16le'), undefined, guess)), 'ab')
  t.deepEqual(guess, {})
})

test('programs and pictures are not taken for UTF-16', t => {
  for (let run = 0; run < 200; run++)
    t.is(guessUtf16(Buffer.concat([randomBytes(300), Buffer.alloc(2)])), undefined)
  t.is(guessUtf16(Buffer.from('7f454c4602010100000000000000000003003e0001000000', 'hex')), undefined)
  t.is(guessUtf16(Buffer.alloc(100)), undefined)
  t.is(sourceFormat(Buffer.from([1, 2, 3, 0, 0, 0, 0, 0, 0]), { fileName: 'x.txt' }), 'binary')
})

test('a damaged text keeps what can be read', t => {
  const bytes = Buffer.from(texts[1]?.[2] ?? '', 'base64')
  const text = runToEnd(decodeText(bytes.subarray(0, bytes.length - 2)))
  t.true(text.startsWith('会议改到星期二下午三点'))
})

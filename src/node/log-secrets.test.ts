import { expect, test } from 'vitest'
import { createLog } from './log.ts'
import { createLogRecords } from './log-records.ts'
import { hideInText } from './log-secrets.ts'

const MNEMONIC = 'test test test test test test test test test test test junk'
const KEY = `0x${'ab'.repeat(32)}`

test.each(['text', 'json'])('no form of a secret reaches a log in the form %s', (format) => {
  const lines: string[] = []
  const log = createLog({ format, level: 'info', now: () => 0, write: (line) => lines.push(line) })
  log('info', `started with ${MNEMONIC}`)
  log('info', 'by name', {
    mnemonic: MNEMONIC,
    private_key: KEY,
    privateKey: KEY,
    passphrase: 'open',
    password: 'sesame',
  })
  log('info', 'within', { account: { path: 'm/0', privateKey: KEY, words: [MNEMONIC] } })
  log('warn', 'in a text', { line: `reading {"private_key": "${KEY}", "passphrase":"open sesame"}` })
  log('error', 'in an error', { error: new Error(`bad ${MNEMONIC}`, { cause: new Error(`secret=sesame`) }) })
  const text = lines.join('')
  expect(lines).toHaveLength(5)
  for (const secret of ['junk', KEY, 'open', 'sesame']) expect(text).not.toContain(secret)
  expect(text).toContain('m/0')
  expect(text).toContain('Error: bad [hidden]')
})

test('records that a program reads have no secrets', () => {
  const { logs, add } = createLogRecords('info', () => 0)
  add('info', `words ${MNEMONIC}`, { secret: 'sesame', hash: KEY, height: 5n })
  expect(logs.recent[0]).toMatchObject({
    message: 'words [hidden]',
    fields: { secret: '[hidden]', hash: KEY, height: 5n },
  })
})

test('ordinary texts and hashes stay, and words around a mnemonic too', () => {
  const plain = 'the node stops when its chain has halted and then says why that came about'
  expect(hideInText(plain)).toBe(plain)
  expect(hideInText(`hash ${KEY}: a passphrase is asked for`)).toBe(`hash ${KEY}: a passphrase is asked for`)
  expect(hideInText(`reads ${MNEMONIC} reads`)).toBe('reads [hidden] reads')
})

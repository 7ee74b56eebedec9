import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { formatHex } from '../../primitives/bytes.ts'
import { createKeyring } from '../keyring.ts'

/** A stand-in for the program pass, which stores what it is given as plain files. */
const PASS = `#!/bin/sh
store="$PASSWORD_STORE_DIR"
case "$1" in
  insert) mkdir -p "$store/$(dirname "$4")" && cat > "$store/$4" ;;
  show) if [ -f "$store/$2" ]; then cat "$store/$2"; else echo "Error: $2 is not in the password store." >&2; exit 1; fi ;;
  rm) rm "$store/$3" ;;
  *) echo "Error: You must run: pass init" >&2; exit 1 ;;
esac
`
const KEY = new Uint8Array(32).fill(7)
const { PATH } = process.env
let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'almanac-stores-'))
})
afterEach(() => {
  process.env['PATH'] = PATH
  rmSync(home, { recursive: true })
})

const keyring = (backend: 'os' | 'pass') => createKeyring({ home, backend, askPassphrase: async () => '' })

test('the backend pass keeps the secret in pass, and the file in the home only the way to it', async () => {
  writeFileSync(join(home, 'pass'), PASS)
  chmodSync(join(home, 'pass'), 0o755)
  process.env['PATH'] = `${home}${delimiter}${PATH}`
  process.env['PASSWORD_STORE_DIR'] = join(home, 'store')
  await keyring('pass').add('alice', 'secp256k1', KEY, 'some words')
  expect(readFileSync(join(home, 'keyring-pass', 'alice.json'), 'utf8')).not.toContain(formatHex(KEY))
  keyring('pass').rename('alice', 'carol')
  expect(await keyring('pass').secret('carol')).toEqual({ privateKey: KEY, mnemonic: 'some words' })
  const [entry] = readdirSync(join(home, 'store', 'almanac'))
  rmSync(join(home, 'store', 'almanac', entry!))
  await expect(keyring('pass').secret('carol')).rejects.toThrow(`there is no entry almanac/${entry}`)
  await keyring('pass').add('bob', 'secp256k1', KEY)
  keyring('pass').delete('bob')
  expect(readdirSync(join(home, 'store', 'almanac'))).toEqual([])
})

test('without the program pass the error says so, and which backends work', async () => {
  process.env['PATH'] = home
  const adding = keyring('pass').add('alice', 'secp256k1', KEY)
  await expect(adding).rejects.toThrow('the program pass is not installed; --keyring-backend file keeps keys in files')
  expect(keyring('pass').list()).toEqual([])
})

test('where the keyring of the system does not answer, the error says which backends work', async () => {
  let key: Uint8Array | undefined
  try {
    await keyring('os').add('alice', 'secp256k1', KEY)
    key = await keyring('os').privateKey('alice')
    keyring('os').delete('alice')
  } catch (error) {
    expect(String(error)).toMatch(/the keyring of the operating system does not answer \(.+\); --keyring-backend file/)
    return
  }
  expect(key).toEqual(KEY)
})

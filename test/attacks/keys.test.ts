/** Keys and mnemonics that others know, or can read, of a node that the built program runs. */
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { linesOf } from '../support/attacks/survive.ts'
import { startProcess } from '../support/process.ts'

const WORDS = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

test('without development methods a chain of the public mnemonic does not start, unless its operator accepts it', async () => {
  await expect(startProcess(['--ephemeral', '--no-dev'])).rejects.toThrow(
    /exited with 1: .*public keys of the default mnemonic.*--mnemonic-file.*--insecure-keys/s,
  )
  await using node = await startProcess(['--ephemeral', '--no-dev', '--insecure-keys'])
  expect(linesOf(node, 'warn').join()).toMatch(/INSECURE: .* public keys/)
})

test('development methods on an address that other machines reach do not start, unless the operator accepts it', async () => {
  await expect(startProcess(['--ephemeral', '--jsonrpc-host', '0.0.0.0'])).rejects.toThrow(
    /exited with 1: .*other machines can reach.*--no-dev.*--insecure-keys/s,
  )
})

test('a mnemonic is in a private file alone: not in settings, records, arguments, logs or the banner', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-keys-'))
  const home = join(folder, 'home')
  const mnemonicFile = join(folder, 'words')
  writeFileSync(mnemonicFile, `${WORDS}\n`, { mode: 0o600 })
  const flags = ['--home', home, '--no-dev', '--mnemonic-file', mnemonicFile, '--silent', 'false']
  await using node = await startProcess(flags)
  const [account] = node.config.accounts
  const secrets = ['sausage', account!.private_key, account!.private_key.slice(2)]
  const revealing = (text: string): boolean => secrets.some((secret) => text.includes(secret))

  const files = readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const isPrivate = (path: string): boolean => (statSync(path).mode & 0o077) === 0
  const named = (path: string): string => path.slice(home.length + 1)
  const holding = files.filter((path) => revealing(readFileSync(path, 'latin1')))
  expect(holding.map(named)).toEqual(['mnemonic'])
  expect(holding.filter((path) => !isPrivate(path))).toEqual([])
  expect(isPrivate(join(home, 'priv_validator_key.json'))).toBe(true)
  expect(node.stdout()).toMatch(/Chain id/)
  expect(revealing(node.stdout() + node.stderr())).toBe(false)
  if (process.platform === 'linux') {
    expect(revealing(readFileSync(`/proc/${node.child.pid}/cmdline`, 'latin1'))).toBe(false)
  }
})

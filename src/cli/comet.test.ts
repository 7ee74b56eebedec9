import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { runCommand } from './commands.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'almanac-comet-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(home, { recursive: true })
})

/** Runs a command in the home. Resolves with its exit code and its output, errors included. */
async function run(...words: readonly string[]): Promise<readonly [number, string]> {
  const printed: string[] = []
  const print = (text: unknown) => printed.push(String(text)) > 0
  vi.spyOn(process.stdout, 'write').mockImplementation(print)
  vi.spyOn(process.stderr, 'write').mockImplementation(print)
  const code = await runCommand([...words, '--home', home])
  vi.restoreAllMocks()
  return [code, printed.join('')]
}

/** Files that `cometbft init` 0.38 wrote, and what its `show-validator` and `show-node-id` print about them. */
const VALIDATOR = {
  address: 'B7ABA909EA17E652E528FC8A93F06208622F6261',
  pub_key: { type: 'tendermint/PubKeyEd25519', value: 'EGL3JFAw44YH7xB4wOs0qOcKcW4XLYFQZVt4xJd5Zyg=' },
  priv_key: {
    type: 'tendermint/PrivKeyEd25519',
    value: 'BT1Sy6nn78dsbHpsQMd1AkgWvLQh50YSqcdIiQrHvT4QYvckUDDjhgfvEHjA6zSo5wpxbhctgVBlW3jEl3lnKA==',
  },
}
const NODE = {
  priv_key: {
    type: 'tendermint/PrivKeyEd25519',
    value: 'rtT2ljAsJQg48sjmy+wH+6EkW4nwR4raFiQ8LVQoAG7rAPMKX2qkONA81LgsZv44Qi0Zsqg9gseNCboK0ICm1w==',
  },
}
const PUBLIC_KEY = 'EGL3JFAw44YH7xB4wOs0qOcKcW4XLYFQZVt4xJd5Zyg='
const NODE_ID = 'd57c0d3f83783064e2a7ea8031613e3df8c00472'

test('the keys of a node are shown as the engine shows them, under both names of the command', async () => {
  writeFileSync(join(home, 'priv_validator_key.json'), JSON.stringify(VALIDATOR))
  mkdirSync(join(home, 'engine/config'), { recursive: true })
  writeFileSync(join(home, 'engine/config/node_key.json'), JSON.stringify(NODE))
  const shown = `{"@type":"/cosmos.crypto.ed25519.PubKey","key":"${PUBLIC_KEY}"}\n`
  expect(await run('comet', 'show-validator')).toEqual([0, shown])
  expect(await run('tendermint', 'show-validator')).toEqual([0, shown])
  expect(await run('comet', 'show-node-id')).toEqual([0, `${NODE_ID}\n`])
  const [code, address] = await run('comet', 'show-address')
  expect([code, address]).toEqual([0, expect.stringMatching(/^chainvalcons1[a-z0-9]{38}\n$/)])
  const [, parsed] = await run('keys', 'parse', address.trim())
  expect(parsed.toLowerCase()).toContain(VALIDATOR.address.toLowerCase())
  expect((await run('comet', 'show-address', '--profile', 'nibiru'))[1]).toMatch(/^nibivalcons1/)
})

test('a home without a key, or with a damaged one, is an error that names the file', async () => {
  expect(await run('comet', 'show-validator')).toEqual([1, expect.stringContaining('almanac init or almanac start')])
  const [code, text] = await run('comet', 'show-node-id')
  expect(code).toBe(1)
  expect(text).toContain(`no key in ${join(home, 'engine/config/node_key.json')}: the engine writes it`)
  writeFileSync(join(home, 'priv_validator_key.json'), '{"priv_key":{"value":"AAAA"}}')
  expect((await run('comet', 'show-validator'))[1]).toContain('contains no validator key: private key has 3 bytes')
  writeFileSync(join(home, 'priv_validator_key.json'), '{}')
  expect((await run('comet', 'show-validator'))[1]).toContain('contains no validator key: priv_key.value is missing')
})

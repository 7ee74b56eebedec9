import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { runCommand } from './commands.ts'

const scratch = mkdtempSync(join(tmpdir(), 'almanac-refused-'))
afterAll(() => rmSync(scratch, { recursive: true }))
afterEach(() => vi.restoreAllMocks())

/** What a command that fails says. */
async function refused(...words: readonly string[]): Promise<string> {
  const said: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0)
  expect(await runCommand(words)).toBe(1)
  return said.join('')
}

const portsOff = ['rest', 'grpc', 'jsonrpc', 'comet'].flatMap((name) => [`--${name}-enabled`, 'false'])
const start = (...words: readonly string[]) =>
  refused('start', '--home', join(scratch, 'home'), ...portsOff, '--compute-workers', '0', ...words)

test('a start that the chain’s own beginning forbids names the setting and what would be right', async () => {
  expect(await start('--mnemonic', 'test test')).toBe(
    'almanac: chain.mnemonic is not a BIP-39 mnemonic in English: their number or their order is wrong\n',
  )
  expect(await start('--mnemonic', `${'test '.repeat(11)}jnuk`)).toContain('"jnuk" is none of its words')
  for (const id of ['', 'a b', 'x'.repeat(51)]) {
    expect(await start('--chain-id', id)).toContain(
      `chain.id is "${id}", and must be 1 to 50 characters without blanks`,
    )
  }
})

test('what the system refuses is named with the way out, without a stack', async () => {
  const file = join(scratch, 'file')
  writeFileSync(file, '')
  expect(await refused('start', '--home', file)).toBe(
    `almanac: ENOTDIR: not a directory, stat '${file}/config.toml'\nA home is a folder: name another by --home DIR (ALMANAC_HOME).\n`,
  )
})

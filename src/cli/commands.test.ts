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

test('a flag that is no setting takes true or false', async () => {
  expect(await refused('start', '--ephemeral=maybe')).toContain(
    '--ephemeral (ALMANAC_EPHEMERAL) = "maybe": must be true or false',
  )
})

test('what the system refuses is named with the way out, without a stack', async () => {
  const file = join(scratch, 'file')
  writeFileSync(file, '')
  expect(await refused('start', '--home', file)).toBe(
    `almanac: ENOTDIR: not a directory, stat '${file}/config.toml'\nWhere a folder is expected there is a file: name another, a home by --home DIR (ALMANAC_HOME).\n`,
  )
})

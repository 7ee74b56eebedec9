import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { startNode } from '../node/start.ts'
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

test('a home needs a name, and ports an end', async () => {
  const emptyHome = '--home (ALMANAC_HOME) is empty: name a folder, or leave it away for ~/.almanac'
  expect(await refused('start', '--home', '')).toContain(emptyHome)
  expect(await refused('keys', 'list', '--home', '')).toContain(emptyHome)
  const home = join(scratch, 'ports')
  expect(await refused('start', '--home', home, '--port-offset', '65000')).toContain(
    'node.port_offset (--port-offset) 65000 moves jsonrpc.port from 8545 to 73545, and ports end at 65535',
  )
})

test('a chain that was begun and has no block is no case for a stack, and nothing is made of it', async () => {
  const home = join(scratch, 'begun')
  await (await startNode({ home, ports: false })).stop()
  rmSync(join(home, 'data'), { recursive: true })
  const reason = `the chain in ${home} has no block yet: \`almanac start\` makes the first\n`
  for (const words of [['export'], ['reindex'], ['rollback', '--to-height', '1'], ['upgrade', 'preflight']]) {
    expect(await refused(...words, '--home', home)).toBe(`almanac: ${reason}`)
  }
  expect(existsSync(join(home, 'data'))).toBe(false)
})

test('what answers in place of a node is not taken for one', async () => {
  const server = createServer((_, response) => response.end('{"jsonrpc":"2.0","error":{}}'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    expect(await refused('status', '--home', scratch, '--comet-port', String(port))).toBe(
      `almanac: what answers at http://127.0.0.1:${port}/status is no node of this kind\n`,
    )
  } finally {
    server.close()
  }
})

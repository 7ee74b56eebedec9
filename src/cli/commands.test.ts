import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { diskFiles } from '../node/files.ts'
import { acquireLock } from '../node/lock.ts'
import { startNode } from '../node/start.ts'
import { runCommand } from './commands.ts'
import { genesisCommand } from './genesis.ts'

const scratch = mkdtempSync(join(tmpdir(), 'almanac-refused-'))
afterAll(() => rmSync(scratch, { recursive: true }))
afterEach(() => vi.restoreAllMocks())

/** Runs a command that fails with exit code 1. Returns its standard error. */
async function refused(...words: readonly string[]): Promise<string> {
  const said: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0)
  expect(await runCommand(words)).toBe(1)
  return said.join('')
}

test('--ephemeral accepts only true or false', async () => {
  expect(await refused('start', '--ephemeral=maybe')).toContain(
    '--ephemeral (ALMANAC_EPHEMERAL) = "maybe": must be true or false',
  )
})

test('an error of the operating system is printed with advice and without a stack', async () => {
  const file = join(scratch, 'file')
  writeFileSync(file, '')
  const said = await refused('start', '--home', file)
  // Which call fails depends on the version of Node.js.
  expect(said).toMatch(/^almanac: (ENOTDIR|EEXIST): .*\n/)
  expect(said.split('\n').slice(1)).toEqual([
    'The path must be a folder, but is a file: set another path, for a home with --home DIR (ALMANAC_HOME).',
    '',
  ])
})

test('the error of a command replaces the bar that it has left on a terminal', async () => {
  const { isTTY } = process.stderr
  onTestFinished(() => {
    process.stderr.isTTY = isTTY
  })
  process.stderr.isTTY = true
  const said = await refused('start', '--home', '')
  expect(said.startsWith('\r\u001b[2Kalmanac: --home')).toBe(true)
})

test('an empty home and a port above 65535 are refused', async () => {
  const emptyHome = '--home (ALMANAC_HOME) is empty: set a folder, or omit it for ~/.almanac'
  expect(await refused('start', '--home', '')).toContain(emptyHome)
  expect(await refused('keys', 'list', '--home', '')).toContain(emptyHome)
  const home = join(scratch, 'ports')
  expect(await refused('start', '--home', home, '--port-offset', '65000')).toContain(
    'node.port_offset (--port-offset) 65000 moves rest.port from 1317 to 66317, and ports end at 65535',
  )
})

test('two gateways on one port, and settings in a folder, are refused by name', async () => {
  const home = join(scratch, 'collision')
  const collision = 'almanac: rest.port and grpc.port are both 9090: each needs a port of its own\n'
  expect(await refused('config', 'set', 'rest.port', '9090', '--home', home)).toBe(collision)
  expect(readFileSync(join(home, 'config.toml'), 'utf8')).toBe('')
  expect(await refused('start', '--home', home, '--rest-port', '9090')).toBe(collision)
  const folder = join(scratch, 'folder')
  mkdirSync(join(folder, 'config.toml'), { recursive: true })
  const fault = `almanac: ${folder}/config.toml: must be a file, and is a folder\n`
  expect(await refused('config', 'set', 'rest.port', '1318', '--home', folder)).toBe(fault)
  expect(await refused('start', '--home', folder)).toBe(fault)
  expect(await refused('dev', '--home', folder)).toBe(fault)
})

test('an error shows what steers a terminal as escapes', async () => {
  expect(await refused('start', '--home', join(scratch, 'steered'), '--block-time', '\u001b[31m')).toContain(
    '\\u001b[31m',
  )
})

test('an error cuts off a value that nobody could read', async () => {
  const said = await refused('start', '--home', join(scratch, 'long'), '--port-offset', '9'.repeat(100_000))
  expect(said).toContain(`= "${'9'.repeat(127)}… (100003 characters)`)
  expect(said.length).toBeLessThan(400)
  const unknown: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => unknown.push(String(text)) > 0)
  expect(await runCommand(['x'.repeat(100_000)])).toBe(2)
  expect(unknown.join('')).toMatch(/^error: unknown command 'x{127}… \(100002 characters\)\n/)
})

test.each([
  [['tx', 'foo'], "error: unknown command 'foo'\n(one of: auth, authz, bank, "],
  [['tx', 'bank', 'foo'], "error: unknown command 'foo'\n(one of: multi-send, "],
  [['tx', 'bank', 'sned'], "error: unknown command 'sned'\n(Did you mean send?)\n"],
  [['keys', 'foo'], "error: unknown command 'foo'\n(one of: add, "],
  [['genesis', 'foo'], "error: unknown command 'foo'\n(one of: add-"],
  [['config', 'foo'], "error: unknown command 'foo'\n(one of: get, set; alone the command prints all settings)\n"],
])('%o names the commands that exist', async (words, start) => {
  const said: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0)
  expect(await runCommand(words)).toBe(2)
  expect(said.join('').slice(0, start.length)).toBe(start)
  expect(said.join('').split('unknown command')).toHaveLength(2)
})

test.each([
  [['tx', 'bank', 'send', '-y'], '--from is missing: give it, or the argument of that name'],
  [['query', 'bank', 'params', '--node', 'foo'], '--node foo: must be the REST URL of a node, such as http'],
  [['query', 'bank', 'params', '--node', 'localhost:1317'], '--node localhost:1317: must be the REST URL'],
  [['query', 'bank', 'params', '--height', 'abc'], '--height abc: must be the height of a block, an integer'],
  [['status', '--node', 'foo'], '--node foo: must be the URL of a CometBFT RPC, such as http'],
])('%o is refused with the flag', async (words, message) => {
  expect(await refused(...words)).toContain(`almanac: ${message}`)
})

test('a home behind a link that leads nowhere is refused with advice, as is one on a file system that is read-only', async () => {
  const link = join(scratch, 'link')
  symlinkSync(join(scratch, 'nowhere'), link)
  const said = await refused('start', '--home', join(link, 'home'))
  expect(said).toMatch(/^almanac: ENOENT: .* mkdir .*\nThe folder cannot be made: .*\n$/)
})

test('the help names every command of genesis', async () => {
  const said: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => said.push(String(text)) > 0)
  expect(await runCommand(['--help'])).toBe(0)
  const help = said.join('').replace(/\s+/g, ' ')
  const [, named = ''] = /Prepare and check a genesis document: ([a-z, -]*)/.exec(help) ?? []
  for (const command of genesisCommand().commands)
    expect(named.split(' ').join(',').split(','), command.name()).toContain(command.name())
})

test('commands on a chain without a block, or without its blocks, fail with a message and create nothing', async () => {
  const home = join(scratch, 'begun')
  await (await startNode({ home, ports: false })).stop()
  rmSync(join(home, 'data'), { recursive: true })
  const commands = [
    ...[['export'], ['reindex'], ['rollback', '--to-height', '1'], ['upgrade', 'preflight']],
    ['backup', join(scratch, 'backups')],
  ]
  for (const words of commands)
    expect(await refused(...words, '--home', home)).toContain(
      `almanac: the chain in ${home} has blocks that ${join(home, 'data')} does not contain: mount the disk`,
    )
  const record = join(home, 'home.json')
  writeFileSync(record, readFileSync(record, 'utf8').replace('"has_blocks": true', '"other": true'))
  for (const words of commands)
    expect(await refused(...words, '--home', home)).toBe(
      `almanac: the chain in ${home} has no block yet: \`almanac start\` makes the first\n`,
    )
  expect(existsSync(join(home, 'data'))).toBe(false)
  expect(existsSync(join(scratch, 'backups'))).toBe(false)
})

test('restore names a folder that does not exist, or has no backup', async () => {
  const [absent, empty] = [join(scratch, 'absent'), join(scratch, 'no-backups')]
  mkdirSync(empty)
  for (const more of [['--list'], ['--home', join(scratch, 'restored')]]) {
    expect(await refused('restore', absent, ...more)).toBe(`almanac: ${absent}: no such folder\n`)
    expect(await refused('restore', empty, ...more)).toBe(
      `almanac: ${empty} contains no complete backup: \`almanac backup\` makes one\n`,
    )
  }
})

test('status of a home without an answer names the home, and a process that has opened no port', async () => {
  const home = join(scratch, 'silent')
  await (await startNode({ home, ports: false })).stop()
  writeFileSync(join(home, 'config.toml'), '[comet]\nport = 9\n')
  expect(await refused('status', '--home', home)).toBe(
    `almanac: no node runs in ${home}; the chain in ${home} is at height 1: start it with \`almanac start\`\n`,
  )
  const release = acquireLock(join(home, 'lock'), diskFiles)
  expect(await refused('status', '--home', home)).toContain(
    `almanac: process ${process.pid} runs in ${home}, and has no open port yet`,
  )
  expect(await refused('status', '--home', home, '--comet-port', '9')).toContain(
    'no node answers at http://127.0.0.1:9/status; process',
  )
  release()
  rmSync(join(home, 'data'), { recursive: true })
  expect(await refused('status', '--home', home)).toContain('has blocks that')
})

test.each(['{"jsonrpc":"2.0","error":{}}', 'a page'])(
  'status refuses the answer of another server: %s',
  async (answer) => {
    const server = createServer((_, response) => response.end(answer))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    try {
      expect(await refused('status', '--home', scratch, '--comet-port', String(port))).toBe(
        `almanac: the server at http://127.0.0.1:${port}/status is not the CometBFT RPC of a node: check --node, --home, --comet-port and --port-offset\n`,
      )
    } finally {
      server.close()
    }
  },
)

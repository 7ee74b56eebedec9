/** The package as its users get it: the tarball, installed into an empty folder without running an install script. */
import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { install, pack } from './support/package/installation.ts'
import { DEV_WITH_BANNER, startProcess } from './support/process.ts'

const MAX_BYTES = 5_000_000
const root = resolve(import.meta.dirname, '..')
const scratch = mkdtempSync(join(tmpdir(), 'almanac-package-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const { tarball, files } = pack(join(scratch, 'tarball'))
const app = join(scratch, 'app')
const installed = install(tarball, app)
const almanac = join(app, 'node_modules/almanac')

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const run = (...args: readonly string[]) =>
  promisify(execFile)(process.execPath, args, { cwd: app, timeout: 200_000, env: { ...process.env, NO_COLOR: '1' } })
/** Runs the installed command. Resolves with its output. */
const command = async (...args: readonly string[]) => (await run(join(almanac, 'bin/almanac'), ...args)).stdout

test('the package weighs less than 5 MB', () => {
  expect(statSync(tarball).size).toBeLessThan(MAX_BYTES)
})

test('the package contains every page and program that the README links to', () => {
  const links = [...read('README.md').matchAll(/\]\(([^):#]+)/g)].map(([, path]) => path!)
  expect(links.length).toBeGreaterThan(20)
  expect(links.filter((path) => !existsSync(join(almanac, path)))).toEqual([])
})

test('the package contains nothing that depends on the machine or on the place of its build', () => {
  expect(files.filter((path) => /\.cache$|\.map$|setup\.json|\.tsbuildinfo$|\.test\./.test(path))).toEqual([])
  const places = [root, scratch].map((path) => Buffer.from(path))
  const named = files.filter((path) => places.some((place) => readFileSync(join(almanac, path)).includes(place)))
  expect(named).toEqual([])
})

test('the package has no script that runs when it is installed, of which npm warns', () => {
  const { scripts } = JSON.parse(readFileSync(join(almanac, 'package.json'), 'utf8')) as { scripts: object }
  const atInstallation = ['preinstall', 'install', 'postinstall', 'prepare']
  expect(Object.keys(scripts).filter((name) => atInstallation.includes(name))).toEqual([])
})

test('a second packing gives the same bytes', () => {
  const digest = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')
  expect(digest(pack(join(scratch, 'again')).tarball)).toBe(digest(tarball))
})

test('an installation has few packages, and code of all others with their licences', () => {
  const names = installed.map((path) => path.replace(/^.* > /, '')).filter((name) => !/linux|darwin|win32/.test(name))
  const own = ['@bufbuild/protobuf', '@napi-rs/keyring', 'lmdb']
  const ofLmdb = ['@harperfast/extended-iterable', 'detect-libc', 'msgpackr', 'msgpackr-extract', 'node-addon-api']
  const also = ['node-gyp-build-optional-packages', 'ordered-binary', 'weak-lru-cache']
  expect([...own, ...ofLmdb, ...also]).toEqual(expect.arrayContaining(names))
  const bundled = JSON.parse(readFileSync(join(almanac, 'dist/bundled.json'), 'utf8')) as { name: string }[]
  expect(bundled.map(({ name }) => name)).toEqual(expect.arrayContaining(['@grpc/grpc-js', 'secp256k1', 'mcl-wasm']))
  const gone = /elliptic|protobufjs|proto-loader/
  expect([...names, ...bundled.map(({ name }) => name)].filter((name) => gone.test(name))).toEqual([])
  const notices = readFileSync(join(almanac, 'dist/licenses.txt'), 'utf8')
  expect(bundled.filter(({ name }) => !notices.includes(`\n${name} `))).toEqual([])
})

test('the installed command runs a development chain that REST and JSON-RPC ask, and prints its help', async () => {
  expect(await command('--version')).toContain(JSON.parse(read('package.json')).version)
  expect(await command('query', 'bank', '--help')).toContain('balance')
  await using node = await startProcess([], { path: join(almanac, 'bin/almanac'), command: DEV_WITH_BANNER })
  const { urls, accounts } = node.config
  const { address } = accounts[0]!
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [address, 'latest'] })
  const answer = await fetch(urls.jsonrpc, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { result } = (await answer.json()) as { result: string }
  const rest = await (await fetch(`${urls.rest}/chain/evm/v1/balances/${address}`)).json()
  expect((rest as { balance_wei: string }).balance_wei).toBe(BigInt(result).toString())
  await node.kill('SIGTERM')
  expect(await node.ended).toBe(0)
})

/** Program of a user with both entries of the package. It prints what a call of each bundled part answers. */
const PROGRAM = `
import { type Node, startNode, testNode } from 'almanac'
import { messagesOf, tokenfactory } from 'almanac/messages'

// A loaded machine can take longer than the default of five seconds.
await using node = await testNode({ evm: { timeout: '100s' } })
const from = node.accounts[0]!.address
const height: bigint = await node.nextBlock()
const started: Node = await startNode()
await started.stop()

const script = '{ result: () => 6 * 7, fault: () => 0 }'
const trace = await node.rpc('debug_traceCall', { to: from }, 'latest', { tracer: script, timeout: '100s' })
// The pairing of no points is one, which mcl-wasm computes.
const pairing = await node.rpc('eth_call', { to: '0x0000000000000000000000000000000000000008', data: '0x' }, 'latest')
const sent = await node.rpc('eth_sendTransaction', { from, to: from, value: '0x1' })
const { registryTypes, message } = messagesOf('almanac')
const { typeUrl } = message(tokenfactory.MsgCreateDenomSchema, { sender: 'a', subdenom: 'b' })
console.log(JSON.stringify([String(height), trace, pairing, String(sent).length, registryTypes.length > 20, typeUrl]))
`

test('both entries of the package have types and work, with the parts that are bundled', async () => {
  writeFileSync(join(app, 'package.json'), JSON.stringify({ type: 'module' }))
  writeFileSync(join(app, 'program.ts'), PROGRAM)
  const options = {
    target: 'ES2022',
    lib: ['ES2023', 'ESNext.Disposable'],
    module: 'NodeNext',
    strict: true,
    skipLibCheck: false,
    noUncheckedIndexedAccess: true,
    typeRoots: [join(root, 'node_modules/@types')],
    types: ['node'],
  }
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['program.ts'] }))
  const found = await run(join(root, 'node_modules/typescript/bin/tsc'), '-p', app).catch((error) => error)
  expect(found.stdout).toBe('')
  const { stdout } = await run('program.js')
  const one = `0x${'1'.padStart(64, '0')}`
  expect(JSON.parse(stdout)).toEqual(['2', 42, one, 66, true, '/chain.tokenfactory.v1.MsgCreateDenom'])
})

test('the installation has a binary of libsecp256k1 for this machine, and works without one', async () => {
  const load = `process.stdout.write(typeof require('${join(almanac, 'build/secp256k1/bindings.cjs')}').ecdsaRecover)`
  expect((await run('-e', load)).stdout).toBe('function')
  const without = join(scratch, 'without')
  execFileSync('cp', ['-r', app, without])
  rmSync(join(without, 'node_modules/almanac/build/secp256k1'), { recursive: true })
  const send = `const { testNode } = await import('almanac')
    const node = await testNode()
    const from = node.accounts[0].address
    const hash = await node.rpc('eth_sendTransaction', { from, to: from, value: '0x1' })
    await node.nextBlock()
    console.log((await node.rpc('eth_getTransactionReceipt', hash)).status)
    await node.stop()`
  writeFileSync(join(without, 'send.mjs'), send)
  expect((await run(join(without, 'send.mjs'))).stdout).toBe('0x1\n')
})

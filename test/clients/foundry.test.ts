/** The recipe for Foundry (docs/recipes.md#foundry) with its own programs, if they are installed. */
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDev } from '../support/dev.ts'
import type { NodeProcess } from '../support/process.ts'
import { findProgram } from '../support/programs.ts'

const cast = findProgram(['cast'], 'Foundry')
const forge = cast && findProgram(['forge'], 'Foundry')
const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const SENDER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const RECEIVER = '0x00000000000000000000000000000000000000aa'

/** A project with a contract, its script, a test, and a compiler that answers as solc does: Foundry would download one. */
const PROJECT = join(import.meta.dirname, '../support/foundry')

let folder: string
let node: NodeProcess

beforeAll(async () => {
  if (!cast) return
  folder = mkdtempSync(join(tmpdir(), 'almanac-foundry-'))
  cpSync(PROJECT, folder, { recursive: true })
  const settings = `[profile.default]\nsolc = "${PROJECT}/solc.cjs"\noffline = true\nlibs = []\n`
  writeFileSync(join(folder, 'foundry.toml'), settings)
  node = await startDev()
})

afterAll(async () => {
  await node?.[Symbol.asyncDispose]()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

/** Runs a program of Foundry in the project. The one that npm installs ends with 0 even if it fails. */
async function runBoth(program: string | undefined, ...args: readonly string[]): Promise<{ out: string; err: string }> {
  const env = { ...process.env, ETH_RPC_URL: node.config.urls.jsonrpc, FOUNDRY_OFFLINE: 'true' }
  return await new Promise((done) => {
    execFile(program!, [...args], { cwd: folder, env, timeout: 60_000 }, (_, out, err) =>
      done({ out: out.trim(), err }),
    )
  })
}

const run = async (...args: Parameters<typeof runBoth>): Promise<string> => (await runBoth(...args)).out

const signed = ['--private-key', KEY]

/** Deploys the counter, and returns its address. */
async function deploy(): Promise<string> {
  const printed = await run(forge, 'create', 'src/Counter.sol:Counter', '--broadcast', ...signed)
  return /Deployed to: (0x[0-9a-fA-F]{40})/.exec(printed)![1]!
}

test.runIf(cast)('cast sends, and reads what it sent', async () => {
  expect(await run(cast, 'chain-id')).toBe('31337')
  expect(await run(cast, 'send', RECEIVER, '--value', '1ether', ...signed)).toMatch(/^status +1 \(success\)$/m)
  expect(await run(cast, 'balance', RECEIVER, '--ether')).toBe('1.000000000000000000')
  expect(await run(cast, 'send', RECEIVER, '--value', '1', '--legacy', ...signed)).toMatch(/^type +0$/m)
  expect(await run(cast, 'block', 'latest', '--field', 'baseFeePerGas')).toBe('1000000000')
})

test.runIf(cast)('cast delegates an account by EIP-7702', async () => {
  const counter = await deploy()
  expect(await run(cast, 'send', RECEIVER, '--auth', counter, ...signed)).toMatch(/^type +4$/m)
  expect(await run(cast, 'code', SENDER)).toBe(`0xef0100${counter.slice(2).toLowerCase()}`)
})

test.runIf(forge)('forge deploys, cast calls and runs transactions again, and a revert has its reason', async () => {
  const counter = await deploy()
  const receipt = JSON.parse(await run(cast, 'send', '--json', counter, 'inc()', ...signed)) as {
    transactionHash: string
    gasUsed: string
  }
  expect(await run(cast, 'call', counter, 'x()(uint256)')).toBe('1')
  const again = await run(cast, 'run', receipt.transactionHash)
  expect(again).toMatch(/emit (Inc|topic 0)/)
  expect(again).toContain(`Gas used: ${Number(receipt.gasUsed)}`)
  expect((await runBoth(cast, 'call', counter, 'fail()')).err).toContain('execution reverted: no more')
  expect(await run(cast, 'logs', '--from-block', '0', '--address', counter, 'Inc(uint256)')).toContain(
    receipt.transactionHash,
  )
})

test.runIf(forge)('forge runs a script whose transactions land, and tests against the state of the chain', async () => {
  const printed = await run(
    forge,
    'script',
    'script/Counter.s.sol',
    '--broadcast',
    '--rpc-url',
    node.config.urls.jsonrpc,
    ...signed,
  )
  expect(printed).toContain('ONCHAIN EXECUTION COMPLETE & SUCCESSFUL')
  expect(await run(forge, 'test', '--fork-url', node.config.urls.jsonrpc)).toContain('1 passed')
})

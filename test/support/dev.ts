/** The built `almanac dev` as a process, with the clients that programs for anvil use. */
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { createPublicClient, createTestClient, createWalletClient, http } from 'viem'
import { type HDOptions, mnemonicToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { DEV_WITH_BANNER, type NodeProcess, startProcess } from './process.ts'

const program = resolve(import.meta.dirname, '../../dist/almanac.cjs')

/** Starts `almanac dev` on free ports, without a banner, and waits until it runs. */
export const startDev = (...flags: readonly string[]): Promise<NodeProcess> =>
  startProcess(flags, { command: [...DEV_WITH_BANNER, '--silent'] })

/** The clients of a program that is written for anvil. */
export function clientsOf({ config }: NodeProcess, mnemonic: string = config.mnemonic, path: HDOptions = {}) {
  const transport = http(config.urls.jsonrpc)
  const account = mnemonicToAccount(mnemonic, path)
  return {
    account,
    reads: createPublicClient({ chain: foundry, transport, cacheTime: 0 }),
    wallet: createWalletClient({ chain: foundry, transport, account }),
    tools: createTestClient({ chain: foundry, transport, mode: 'anvil' }),
  }
}

/** The end of a command. */
interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a command of the built program until it ends. */
export function runProgram(...args: readonly string[]): Promise<Ended> {
  return new Promise((done) => {
    execFile(process.execPath, [program, ...args], { timeout: 60_000 }, (error, out, err) => {
      done({ code: error ? Number(error.code) : 0, out, err })
    })
  })
}

/** Runs `almanac dev` until it ends, which flags that are refused make it do. */
export const runDev = (...flags: readonly string[]): Promise<Ended> => runProgram('dev', ...flags)

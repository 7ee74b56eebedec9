/** A chain with a denom of the token factory, its ERC-20, a contract that earns developer gas, and a proposal, by the command line. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Hex } from 'viem'
import { formatBech32 } from '../../../src/primitives/address.ts'
import { hex } from '../../../src/primitives/bytes.ts'
import type { NodeProcess } from '../process.ts'
import { rpc } from '../rpc.ts'
import { endVoting, proposePlan } from '../upgrade/governance.ts'

const program = join(import.meta.dirname, '../../../bin/almanac')

export interface CommandWorld {
  /** Denom of the token factory. */
  readonly denom: string
  /** Contract that earns developer gas. */
  readonly earner: Hex
}

/** Code that stores its argument in slot 0, behind code that deploys it: CALLDATALOAD, SSTORE. */
const STORES = '0x6006600c60003960066000f36000356000550000'

/** Sends a transaction from the first account, and waits for its receipt. */
export async function sendAndWait(
  node: NodeProcess,
  transaction: object,
): Promise<{ contractAddress: Hex; status: Hex }> {
  const from = node.config.accounts[0]!.address
  const hash = await rpc(node.config, 'eth_sendTransaction', [{ from, ...transaction }])
  for (;;) {
    const receipt = await rpc<{ contractAddress: Hex; status: Hex } | null>(node.config, 'eth_getTransactionReceipt', [
      hash,
    ])
    if (receipt) return receipt
    await new Promise((done) => setTimeout(done, 50))
  }
}

/** Fills the chain. Its plan `v9` lies far ahead, and a proposal `later` is being voted on. */
export async function populateByCommands(node: NodeProcess): Promise<CommandWorld> {
  const home = mkdtempSync(join(tmpdir(), 'almanac-keys-'))
  const { bech32, private_key: key } = node.config.accounts[0]!
  const run = async (...words: readonly string[]): Promise<void> => {
    await promisify(execFile)(process.execPath, [program, ...words, '--home', home, '--keyring-backend', 'test'])
  }
  const send = (...words: readonly string[]): Promise<void> =>
    run('tx', ...words, '--node', node.config.urls.rest, '--from', 'alice', '--yes')
  try {
    writeFileSync(join(home, 'key'), `${key.slice(2)}\n`)
    await run('keys', 'import', 'alice', join(home, 'key'), '--hex', '--algo', 'eth_secp256k1')
    const denom = `factory/${bech32}/gold`
    await send('tokenfactory', 'create-denom', '--subdenom', 'gold')
    await send('tokenfactory', 'mint', '--coin', `1234567890${denom}`)
    await send(
      'tokenfactory',
      'set-denom-metadata',
      '--metadata',
      JSON.stringify({
        base: denom,
        display: 'gold',
        name: 'Gold',
        symbol: 'GLD',
        denom_units: [
          { denom, exponent: 0 },
          { denom: 'gold', exponent: 6 },
        ],
      }),
    )
    await send('evm', 'create-fun-token', '--from-bank-denom', denom)
    await send('inflation', 'toggle-inflation', '--enable')
    const { contractAddress: earner } = await sendAndWait(node, { data: STORES, gas: '0x100000' })
    await send('devgas', 'register-fee-share', formatBech32('chain', hex(earner)), bech32)
    await sendAndWait(node, { to: earner, data: `0x${'07'.padStart(64, '0')}`, gas: '0x100000' })
    await proposePlan(node.config, 'v9', 1_000_000)
    await endVoting(node.config)
    await proposePlan(node.config, 'later', 2_000_000)
    return { denom, earner }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

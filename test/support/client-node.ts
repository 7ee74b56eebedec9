/**
 * The node that a suite of clients talks to: one of this process or, with `TEST_CLIENTS=network`, node 3 of four validators
 * with the real engine (`npm run test:clients-network`).
 */

import { almanac } from '../../src/identity/profiles/almanac.ts'
import { type Node, startNode } from '../../src/index.ts'
import { deriveAccounts } from '../../src/node/accounts.ts'
import { TEST_MNEMONIC } from '../../src/node/settings/chain.ts'
import { reachHeight, startAlmanac, writeNetwork } from '../network/processes.ts'

const VALIDATORS = 4
const ACCOUNTS = 10

export type ClientNode = Pick<Node, 'urls' | 'accounts' | 'chainId' | 'evmChainId' | 'stop'>

export async function startClientNode(): Promise<ClientNode> {
  if (process.env['TEST_CLIENTS'] !== 'network') return startNode()
  const network = writeNetwork('--validators', String(VALIDATORS), '--block-time', '300ms')
  const { nodes, chain_id: chainId, evm_chain_id: evmChainId } = network.testnet()
  const supervisor = startAlmanac('testnet', 'start', network.folder, '--json')
  const stop = async (): Promise<void> => {
    supervisor.child.kill('SIGINT')
    await supervisor.ended
    network.remove()
  }
  try {
    for (const node of nodes) await reachHeight(node, 2, supervisor.output)
  } catch (error) {
    await stop()
    throw error
  }
  const { rest, jsonrpc, ws, grpc, comet } = nodes.at(-1)!
  const accounts = deriveAccounts(TEST_MNEMONIC, ACCOUNTS, almanac) as Node['accounts']
  return { urls: { rest, jsonrpc, ws, grpc, comet }, accounts, chainId, evmChainId, stop }
}
